// What script adds to the shell: the colour switch is remembered, an open menu closes on Escape and on a click outside.
const YEAR = 31_536_000;

function remember({ target }) {
  if (target.name !== "theme") return;
  const chosen = target.value === "auto" ? "" : target.value;
  document.cookie = `theme=${chosen}; path=/; max-age=${chosen ? YEAR : 0}; samesite=lax`;
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(except)) menu.open = false;
  }
}

function leaveMenu({ key }) {
  const menu = key === "Escape" && document.querySelector("details.menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
}

// Tabs that scroll sideways begin with the open one in sight.
for (const open of document.querySelectorAll(":is(.tabs, .side-nav) [aria-current]")) {
  const strip = open.closest(".tabs, .side-nav");
  strip.scrollLeft = open.offsetLeft - (strip.clientWidth - open.offsetWidth) / 2;
}

document.addEventListener("change", remember);
document.addEventListener("click", ({ target }) => closeMenus(target));
document.addEventListener("keydown", leaveMenu);
