// Small things a page can do once there is script: copy, close a notice, open a dialog in older browsers.

/** @param {HTMLElement} button @param {string} text */
async function copy(button, text) {
  const label = button.querySelector("span") ?? button;
  const before = label.textContent;
  await navigator.clipboard.writeText(text);
  label.textContent = "Copied";
  setTimeout(() => {
    label.textContent = before;
  }, 3_000);
}

/** @param {string | undefined} id */
const textOf = (id) => document.getElementById(id ?? "")?.textContent.trim() ?? "";

/** @param {Event} event */
function act({ target }) {
  if (!(target instanceof Element)) return;
  /** @type {HTMLButtonElement | null} */
  const button = target.closest("[data-copy], [data-copy-address], [data-close], [commandfor]");
  if (!button) return;
  if ("close" in button.dataset) button.closest(".toast")?.remove();
  else if ("copyAddress" in button.dataset) copy(button, window.location.href);
  else if ("copy" in button.dataset) copy(button, textOf(button.dataset.copy));
  else if (!("commandForElement" in button)) openDialog(button);
}

/** @param {Element} button */
function openDialog(button) {
  const dialog = document.getElementById(button.getAttribute("commandfor") ?? "");
  if (dialog instanceof HTMLDialogElement) dialog.showModal();
}

function reveal() {
  const works = navigator.clipboard ? "[data-copy], [data-copy-address], [data-close]" : "[data-close]";
  /** @type {NodeListOf<HTMLElement>} */
  const buttons = document.querySelectorAll(works);
  for (const button of buttons) button.hidden = false;
}

document.addEventListener("click", act);
document.addEventListener("htmx:afterSettle", reveal);
reveal();
