// Menus: an open one closes on Escape, on a click outside, and when the focus goes on. Arrows walk through it.
const ITEMS = "a[href], button:enabled, summary, select, textarea, input:not([type=radio], [type=hidden])";
const TYPED = "input:is([type=text], [type=search], :not([type])):not([list], [role=combobox])";
const WALKED_FROM = `summary, a, button, [type=checkbox], ${TYPED}`; // in all others arrows have a use of their own

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

/** Of those in sight the one that a key leads to. @param {Element[]} items @param {number} now @param {string} key */
function findNext(items, now, key) {
  if (key === "Home") return items.at(0);
  if (key === "End") return items.at(-1);
  return key === "ArrowDown" ? items[(now + 1) % items.length] : items.at(Math.max(now, 0) - 1);
}

/** @param {KeyboardEvent} event */
function walk(event) {
  const { target, key, ctrlKey, metaKey, altKey, shiftKey } = event;
  const keys = target instanceof Element && target.matches(TYPED) ? /^Arrow(Down|Up)$/ : /^(Arrow(Down|Up)|Home|End)$/;
  if (!keys.test(key) || ctrlKey || metaKey || altKey || shiftKey || event.defaultPrevented) return;
  if (!(target instanceof Element) || !target.matches(WALKED_FROM)) return;
  const menu = target.closest("details.menu");
  if (!(menu instanceof HTMLDetailsElement)) return;
  if (!menu.open && key !== "ArrowDown") return;
  menu.open = true;
  const items = [...menu.querySelectorAll(`.menu-body :is(${ITEMS})`)].filter((one) => one.getClientRects().length);
  const next = findNext(items, items.indexOf(target), key);
  if (!(next instanceof HTMLElement)) return;
  next.focus();
  event.preventDefault();
}

document.addEventListener("click", closeMenus);
document.addEventListener("focusin", leaveMenus);
document.addEventListener("keydown", leaveMenu);
document.addEventListener("keydown", walk);
