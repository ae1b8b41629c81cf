// What is sent is sent once, and says that it is under way: a double click on Comment wrote two.
const PATIENCE = 5_000; // ms; an answer may be a file, after which the page stands as it was
const LONGEST = 15_000; // ms that a button says so, for the same reason

/** @type {WeakMap<HTMLFormElement, { by: HTMLElement | null, at: number }>} */
let sent = new WeakMap();

/** The form of a POST that the browser sends by itself. @param {SubmitEvent} event */
function formOf({ target, submitter }) {
  if (!(target instanceof HTMLFormElement)) return null;
  return (submitter?.getAttribute("formmethod") ?? target.method) === "post" ? target : null;
}

/** @param {SubmitEvent} event */
function refuse(event) {
  const form = formOf(event);
  const before = form && sent.get(form);
  if (!before || before.by !== event.submitter || event.timeStamp - before.at > PATIENCE) return;
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** @param {SubmitEvent} event */
function remember(event) {
  const form = formOf(event);
  if (!form || event.defaultPrevented) return;
  sent.set(form, { by: event.submitter, at: event.timeStamp });
  const button = event.submitter;
  button?.setAttribute("aria-busy", "true");
  setTimeout(() => button?.removeAttribute("aria-busy"), LONGEST);
}

window.addEventListener("submit", refuse, true);
window.addEventListener("submit", remember);
window.addEventListener("pageshow", () => {
  sent = new WeakMap();
  for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
});
