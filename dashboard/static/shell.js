// What script adds to the shell: the colour switch is remembered, an open menu closes on Escape, on a click
// outside, and when the focus goes on.
const YEAR = 31_536_000;

/** @param {Event} event */
function remember({ target }) {
  if (!(target instanceof HTMLInputElement) || target.name !== "theme") return;
  const chosen = target.value === "auto" ? "" : target.value;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store works over https only
  document.cookie = `theme=${chosen}; path=/; max-age=${chosen ? YEAR : 0}; samesite=lax`;
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

/** @returns {NodeListOf<HTMLDetailsElement>} */
const openMenus = () => document.querySelectorAll("details.menu[open]");

/** @param {Event} event */
function closeMenus({ target }) {
  for (const menu of openMenus()) {
    if (!menu.contains(/** @type {Node | null} */ (target))) menu.open = false;
  }
}

/** A click on a label within a menu gives the focus to the page around it for a moment. @param {Event} event */
function leaveMenus(event) {
  const { target } = event;
  if (target instanceof Node && ![...openMenus()].some((menu) => target.contains(menu))) closeMenus(event);
}

/** @param {KeyboardEvent} event */
function leaveMenu({ key }) {
  const menu = key === "Escape" && openMenus()[0];
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

// Tabs that scroll sideways begin with the open one in sight.
for (const open of document.querySelectorAll(":is(.tabs, .side-nav) [aria-current]")) {
  const strip = open.closest(".tabs, .side-nav");
  if (!strip || !(open instanceof HTMLElement)) continue;
  strip.scrollLeft = open.offsetLeft - (strip.clientWidth - open.offsetWidth) / 2;
}

document.addEventListener("change", remember);
document.addEventListener("click", closeMenus);
document.addEventListener("focusin", leaveMenus);
document.addEventListener("keydown", leaveMenu);
