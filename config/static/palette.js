// The search palette: Ctrl-K or / opens it, arrows move, Enter opens, Ctrl-Enter lists the runs. htmx brings the hits.
const palette = document.getElementById("palette");
const input = palette?.querySelector("input");
const list = document.getElementById("hits");

function open() {
  if (palette.open) return;
  palette.showModal();
  input.select();
}

function hits() {
  return [...list.querySelectorAll(".hit")];
}

function pick(hit) {
  for (const other of hits()) other.setAttribute("aria-selected", String(other === hit));
  if (!hit) return input.removeAttribute("aria-activedescendant");
  input.setAttribute("aria-activedescendant", hit.id);
  hit.scrollIntoView({ block: "nearest" });
}

function picked() {
  return list.querySelector('.hit[aria-selected="true"]');
}

function move(step) {
  const all = hits();
  if (all.length) pick(all[(all.indexOf(picked()) + step + all.length) % all.length]);
}

function onKey(event) {
  const { key } = event;
  if (key === "ArrowDown" || key === "ArrowUp") {
    event.preventDefault();
    move(key === "ArrowDown" ? 1 : -1);
  } else if (key === "Enter") {
    const chosen = event.ctrlKey || event.metaKey ? list.querySelector("[data-all]") : picked();
    if (!chosen) return;
    event.preventDefault();
    chosen.click();
  }
}

function onAnyKey(event) {
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  const isChord = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
  const isSlash = event.key === "/" && !typing && !document.querySelector("main input[type=search]");
  if (!isChord && !isSlash) return;
  event.preventDefault();
  open();
}

if (palette) {
  document.addEventListener("keydown", onAnyKey);
  input.addEventListener("keydown", onKey);
  palette.addEventListener("click", ({ target }) => target === palette && palette.close());
  list.addEventListener("htmx:afterSwap", () => {
    document.getElementById("hits-said").textContent = list.querySelector("[data-said]")?.textContent ?? "";
    pick(hits()[0]);
  });
  for (const link of document.querySelectorAll(".rail-find")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      open();
    });
  }
}
