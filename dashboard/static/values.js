// A long list of values under a count: the search above it leaves those that hold what was typed.

/** @param {Element} list */
function start(list) {
  const input = list.querySelector("input");
  const values = [...list.querySelectorAll(".tag")];
  if (!(input instanceof HTMLInputElement) || !input.hidden) return;
  input.hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.trim().toLowerCase();
    for (const value of values) {
      if (value instanceof HTMLElement) value.hidden = !(value.textContent ?? "").toLowerCase().includes(wanted);
    }
  });
}

function startAll() {
  for (const list of document.querySelectorAll("[data-values]")) start(list);
}

document.addEventListener("htmx:afterSettle", startAll);
startAll();
