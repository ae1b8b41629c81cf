// The focus outlives what htmx replaces: it goes to what has the same name in the new part, else to the menu that it
// was in, else to the part itself, so that the next key goes on where the last one was pressed.
const CONTROLS = "a[href], button, summary, input:not([type=hidden]), select, textarea";
const SOON = 3_000; // ms: an answer may replace several parts, one after the other
const MENUS = "main details.menu > summary";

/** @typedef {{ tag: string, name: string, place: number, menu: number, at: number }} Left */

/** @type {Left | null} */
let left = null;

/** @param {Element} control */
const nameOf = (control) =>
  control.getAttribute("aria-label") ??
  (control.textContent?.trim().replace(/\s+/g, " ") || control.getAttribute("name"));

/** What can be used and is called so, in their order. @param {string} tag @param {string} name */
function find(tag, name) {
  const all = [...document.querySelectorAll(`main :is(${CONTROLS})`)];
  return all.filter((one) => one.tagName === tag && one.getClientRects().length && nameOf(one) === name);
}

const menus = () => [...document.querySelectorAll(MENUS)];

function remember() {
  left = null;
  const focused = document.activeElement;
  const name = focused?.closest("main") && nameOf(focused);
  if (!focused || !name) return;
  const menu = focused.closest("details.menu, .chip")?.querySelector("summary");
  const place = find(focused.tagName, name).indexOf(focused);
  left = { tag: focused.tagName, name, place, menu: menu ? menus().indexOf(menu) : -1, at: Date.now() };
}

/** @param {Left} had @param {EventTarget | null} part */
function findHeir({ tag, name, place, menu }, part) {
  const named = find(tag, name);
  const same = named[place] ?? named[0] ?? menus()[menu];
  if (same || !(part instanceof HTMLElement)) return same;
  if (!part.matches(CONTROLS)) part.tabIndex = -1;
  return part;
}

/** @param {Event} event */
function restore({ target }) {
  const isLost = !document.activeElement || document.activeElement === document.body;
  if (!left || !isLost || Date.now() - left.at > SOON) return;
  const heir = findHeir(left, target);
  if (heir instanceof HTMLElement) heir.focus({ preventScroll: true });
}

document.addEventListener("htmx:beforeSwap", remember);
document.addEventListener("htmx:afterSettle", restore);
