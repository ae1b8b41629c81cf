// Notices are read out though they came with the page, and "Undo", which is told once, is still there for who opens
// something and comes back.
const KEY = "undo";
const KEPT = 600_000; // ms
const SOON = 500; // ms: by then it knows the page

/** @typedef {{ person: string, page: string, notice: string, at: number }} Kept */

const personOf = () => document.body.dataset.person ?? "";
const here = () => window.location.pathname + window.location.search;
const shown = () => document.querySelector(".toast:has(form)");
const forget = () => sessionStorage.removeItem(KEY);

/** @param {Element} toast */
function keep(toast) {
  /** @type {Kept} */
  const kept = { person: personOf(), page: here(), notice: toast.outerHTML, at: Date.now() };
  if (kept.notice.length < 100_000)
    sessionStorage.setItem(KEY, JSON.stringify(kept)); // of some hundred runs
  else forget();
}

function bringBack() {
  /** @type {Kept | null} */
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
  if (!kept || kept.page !== here()) return;
  if (kept.person !== personOf() || Date.now() - kept.at > KEPT) return forget();
  const toast = new DOMParser().parseFromString(kept.notice, "text/html").body.firstElementChild;
  if (toast) document.querySelector(".toasts")?.append(document.adoptNode(toast));
}

/** What a search found, or which picture is shown: a live region that comes with its text is not read out, either.
 * @param {Event} event */
function tell(event) {
  const { target } = event;
  const told = document.getElementById("told");
  const status = target instanceof Element && target.querySelector("[role=status]");
  const isAsked = Boolean(Reflect.get(Reflect.get(event, "detail") ?? {}, "xhr")); // not what refreshes by itself
  if (told && status && isAsked) told.textContent = status.textContent.trim().replace(/\s+/g, " ");
}

/** A screen reader tells what is put into a live region, not what it holds when the page comes. */
function readOut() {
  const region = document.querySelector(".toasts");
  if (region && !region.contains(document.activeElement)) region.append(...region.children);
}

function meet() {
  const [visit] = performance.getEntriesByType("navigation");
  const told = shown();
  if (told) keep(told);
  else if (Reflect.get(visit ?? {}, "type") === "back_forward") bringBack();
}

/** @param {Event} event */
function leave({ target }) {
  if (target instanceof Element && target.closest(".toast form, .toast [data-close]")) forget();
}

document.addEventListener("submit", leave);
document.addEventListener("click", leave);
document.addEventListener("htmx:afterSettle", tell);
window.addEventListener("load", () => setTimeout(readOut, SOON));
meet();
