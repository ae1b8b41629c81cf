// Keys that work on every page: / to search, g and a letter to go somewhere, ? for the list of them.
const PLACES = { h: "/", r: "/runs", i: "/instruments", w: "/watchers" };
let waiting = 0;

function isTyping({ target }) {
  return target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]");
}

function act(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
  const { key } = event;
  if (Date.now() < waiting && PLACES[key]) {
    window.location.assign(PLACES[key]);
  } else if (key === "/") {
    const input = document.querySelector("main input[type=search]");
    if (!input) return;
    input.focus();
    input.select();
  } else if (key === "?") {
    document.getElementById("shortcuts")?.showModal();
  } else {
    waiting = key === "g" ? Date.now() + 1_500 : 0;
    return;
  }
  waiting = 0;
  event.preventDefault();
}

document.addEventListener("keydown", act);
