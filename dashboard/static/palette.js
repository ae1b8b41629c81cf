// The search palette: Ctrl-K or / opens it, arrows move, Enter opens, Ctrl-Enter lists the runs. htmx brings the hits.
const palette = /** @type {HTMLDialogElement | null} */ (document.getElementById("palette"));

/** @param {HTMLDialogElement} dialog @param {HTMLInputElement} input @param {HTMLElement} list */
function start(dialog, input, list) {
  function open() {
    if (dialog.open) return;
    dialog.showModal();
    input.select();
  }

  /** @returns {HTMLElement[]} */
  const hits = () => [...list.querySelectorAll(".hit")].map((hit) => /** @type {HTMLElement} */ (hit));
  const picked = () => hits().find((hit) => hit.matches('[aria-selected="true"]'));

  /** @param {HTMLElement | undefined} hit */
  function pick(hit) {
    for (const other of hits()) other.setAttribute("aria-selected", String(other === hit));
    if (!hit) return input.removeAttribute("aria-activedescendant");
    input.setAttribute("aria-activedescendant", hit.id);
    hit.scrollIntoView({ block: "nearest" });
  }

  /** @param {number} step */
  function move(step) {
    const all = hits();
    const now = picked();
    if (all.length) pick(all[((now ? all.indexOf(now) : -1) + step + all.length) % all.length]);
  }

  /** The hits are those of another text while one types. */
  const areOld = () => {
    const said = /** @type {HTMLElement | null} */ (list.querySelector("[data-of]"));
    return said?.dataset.of !== undefined && said.dataset.of !== input.value.trim();
  };
  let isWaiting = false; // for the hits, to open the first

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const { key } = event;
    isWaiting = false;
    if (key === "ArrowDown" || key === "ArrowUp") {
      event.preventDefault();
      move(key === "ArrowDown" ? 1 : -1);
    } else if (key === "Enter" && areOld() && !(event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      isWaiting = true;
    } else if (key === "Enter") {
      const chosen = event.ctrlKey || event.metaKey ? hits().find((hit) => "all" in hit.dataset) : picked();
      if (!chosen) return;
      event.preventDefault();
      chosen.click();
    }
  }

  /** @param {KeyboardEvent} event */
  function onAnyKey(event) {
    const { target, key } = event;
    const isTyping = target instanceof Element && target.closest("input, textarea, select, [contenteditable]");
    const isChord = key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey;
    const isSlash = key === "/" && !isTyping && !document.querySelector("main input[type=search]");
    if (!isChord && !isSlash) return;
    event.preventDefault();
    open();
  }

  document.addEventListener("keydown", onAnyKey);
  input.addEventListener("keydown", onKey);
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest(".close"))) dialog.close();
  });
  list.addEventListener("htmx:afterSwap", () => {
    const said = document.getElementById("hits-said");
    if (said) said.textContent = list.querySelector("[data-said]")?.textContent ?? "";
    pick(hits()[0]);
    if (isWaiting && !areOld()) picked()?.click();
  });
  for (const link of document.querySelectorAll(".rail-find")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      open();
    });
  }
}

const [field, found] = [palette?.querySelector("input"), document.getElementById("hits")];
if (palette && field && found) start(palette, field, found);
