// What script adds to the shell: the colour switch is remembered, and tabs begin with the open one in sight.
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

// Tabs that scroll sideways begin with the open one in sight.
for (const open of document.querySelectorAll(":is(.tabs, .side-nav) [aria-current]")) {
  const strip = open.closest(".tabs, .side-nav");
  if (!strip || !(open instanceof HTMLElement)) continue;
  strip.scrollLeft = open.offsetLeft - (strip.clientWidth - open.offsetWidth) / 2;
}

document.addEventListener("change", remember);
