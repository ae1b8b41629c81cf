// What was written when a session had ended, or a page was too old: kept in this tab, and put back into its form.
const KEY = "unsent";

/** @typedef {{ action: string, texts: [string, string][], isInterrupted: boolean }} Unsent */

/** @param {HTMLFormElement} form */
const textsOf = (form) =>
  [...form.querySelectorAll("textarea[name]")].map((box) => /** @type {HTMLTextAreaElement} */ (box));

/** @returns {Unsent | null} */
const read = () => JSON.parse(sessionStorage.getItem(KEY) ?? "null");

/** @param {Event} event */
function keep({ target }) {
  if (!(target instanceof HTMLFormElement)) return;
  const texts = textsOf(target).filter((box) => box.value);
  if (!texts.length || target.method !== "post") return;
  /** @type {Unsent} */
  const unsent = {
    action: new URL(target.action).pathname,
    texts: texts.map((box) => [box.name, box.value]),
    isInterrupted: false,
  };
  sessionStorage.setItem(KEY, JSON.stringify(unsent));
}

/** @param {HTMLFormElement} form @param {Unsent} unsent */
function putBack(form, unsent) {
  for (const box of textsOf(form)) {
    const text = unsent.texts.find(([name]) => name === box.name)?.[1];
    if (!text || box.value === text) continue;
    box.value = text;
    box.focus();
  }
  const note = document.createElement("p");
  note.className = "small";
  note.setAttribute("role", "status");
  note.textContent = "This was not sent yet. Send it when it is as you want it.";
  form.append(note);
}

function meet() {
  const unsent = read();
  if (!unsent) return;
  if (document.querySelector("[data-interrupts]")) {
    sessionStorage.setItem(KEY, JSON.stringify({ ...unsent, isInterrupted: true }));
    return;
  }
  const form = [...document.forms].find((one) => new URL(one.action).pathname === unsent.action);
  if (unsent.isInterrupted && !form) return;
  sessionStorage.removeItem(KEY);
  if (unsent.isInterrupted && form) putBack(form, unsent);
}

document.addEventListener("submit", keep);
window.addEventListener("pageshow", meet);
