// Keys that work on every page: / to search, g and a letter to go somewhere, u to undo, ? for the list of them,
// and Ctrl-Enter to send a text.

/** @type {Record<string, string>} */
const PLACES = { h: "/", r: "/runs", i: "/instruments", w: "/watchers", n: "/inbox" };
const FIELDS = "input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]";
let waiting = 0;

/** @param {Event} event */
function isTyping({ target }) {
  return target instanceof Element && target.closest(FIELDS) !== null;
}

/** @param {KeyboardEvent} event */
function act(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const { key } = event;
  const place = PLACES[key];
  if (Date.now() < waiting && place) {
    window.location.assign(place);
  } else if (key === "/") {
    /** @type {HTMLInputElement | null} */
    const input = document.querySelector("main input[type=search]");
    if (!input) return;
    input.focus();
    input.select();
  } else if (key === "u") {
    /** @type {HTMLButtonElement | null} */
    const undo = document.querySelector(".toast form button"); // of the last deed, at the end of the page
    undo?.click();
  } else if (key === "?") {
    const shortcuts = document.getElementById("shortcuts");
    if (shortcuts instanceof HTMLDialogElement) shortcuts.showModal();
  } else {
    waiting = key === "g" ? Date.now() + 1_500 : 0;
    return;
  }
  waiting = 0;
  event.preventDefault();
}

/** Ctrl-Enter sends what is being written, as the form's button does. @param {KeyboardEvent} event */
function send(event) {
  const { target, key } = event;
  if (key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing || event.defaultPrevented) return;
  if (!(target instanceof HTMLTextAreaElement) || target.form?.method !== "post" || target.closest(".bulk")) return;
  event.preventDefault();
  target.form.requestSubmit(target.form.querySelector("button:not([type=button])"));
}

document.addEventListener("keydown", act);
document.addEventListener("keydown", send);
