// Lists with a selection: sums and what all picked rows allow, shift-click ranges, j k x, select all, "Copy link".
import { focusBar, keepPlace, returnToPlace } from "./bar.js";
import { forget, keep, keptElsewhere, MOST, read, recall } from "./picked.js";

/** @typedef {import("./picked.js").Picked} Picked */

/** @type {HTMLInputElement | null} */
let last = null;

/** @param {HTMLFormElement} form @returns {HTMLInputElement[]} */
const boxes = (form) => [...form.querySelectorAll(".list .pick")].map((box) => /** @type {HTMLInputElement} */ (box));

const LOOKING = ["download", "compare", "combine"]; // on pages of their own

/** @param {number} count */
const bytes = (count) => {
  if (count < 1000) return `${count} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let unit = 0;
  for (count /= 1000; count >= 999.5 && unit < 3; unit += 1) count /= 1000;
  return `${count.toFixed(unit ? 1 : 0)} ${units[unit]}`;
};

/** @param {Picked[]} picked */
function sumOf(picked) {
  if (!picked.length) return "";
  /** @param {"files" | "bytes"} name */
  const total = (name) => picked.reduce((sum, one) => sum + Number(one[name] ?? 0), 0);
  const hasFiles = picked.some(({ files }) => files !== undefined);
  return (hasFiles ? `${total("files").toLocaleString("en")} files, ` : "") + bytes(total("bytes"));
}

/** @param {HTMLFormElement} form @returns {HTMLInputElement | null} */
const allOf = (form) => form.querySelector(".bulk [name=all]");

/** @param {HTMLFormElement} form @param {Picked[]} picked @param {HTMLInputElement | null} all */
function offer(form, picked, all) {
  const isTooMuch = picked.length > MOST && !all;
  const allowed = all ? [all.dataset.allows ?? ""] : picked.map(({ allows }) => allows);
  /** @type {NodeListOf<HTMLButtonElement>} */
  const buttons = form.querySelectorAll(".bulk [name=do]");
  for (const button of buttons) {
    button.hidden = isTooMuch || !allowed.every((one) => one.split(" ").includes(button.value));
  }
  /** @type {NodeListOf<HTMLElement>} */
  const hints = form.querySelectorAll(".bulk .none-fits");
  for (const hint of hints) {
    hint.hidden = [...buttons].some((button) => !button.hidden);
    hint.textContent = isTooMuch ? `Up to ${MOST} are picked one by one` : "No action fits all of them";
  }
}

/** @param {HTMLFormElement} form */
function show(form) {
  const onPage = boxes(form);
  const checked = onPage.filter((box) => box.checked);
  const elsewhere = keptElsewhere(form, onPage);
  const picked = [...elsewhere, ...checked.map(read)];
  const all = allOf(form);
  const isAll = all?.checked ?? false;
  for (const sum of form.querySelectorAll(".bulk .sum")) sum.textContent = isAll ? "" : sumOf(picked);
  const more = isAll ? Number(all?.dataset.total) - checked.length : elsewhere.length;
  form.style.setProperty("--elsewhere", String(more));
  form.classList.toggle("carries", more > 0);
  offer(form, picked, isAll ? all : null);
  /** @type {HTMLInputElement | null} */
  const head = form.querySelector(".pick-all");
  if (!head) return;
  head.hidden = false;
  head.checked = checked.length > 0 && checked.length === onPage.length;
  head.indeterminate = checked.length > 0 && checked.length < onPage.length;
}

document.addEventListener("click", ({ target, shiftKey }) => {
  /** @type {HTMLInputElement | null} */
  const box = target instanceof Element ? target.closest(".pick") : null;
  if (!box?.form) return;
  const all = boxes(box.form);
  const ends = [last ? all.indexOf(last) : -1, all.indexOf(box)];
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  if (shiftKey && from >= 0) for (const between of all.slice(from, to + 1)) between.checked = box.checked;
  last = box;
});

document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.form) return;
  if (!target.matches(".pick, .pick-all, .bulk [name=all]")) return;
  if (target.matches(".pick-all")) for (const box of boxes(target.form)) box.checked = target.checked;
  const all = allOf(target.form);
  if (all && target !== all && !target.checked) all.checked = false;
  keep(target.form, boxes(target.form));
  show(target.form);
});

document.addEventListener("reset", ({ target }) => {
  if (!(target instanceof HTMLFormElement) || !target.matches(".picks")) return;
  setTimeout(() => {
    for (const box of boxes(target)) box.checked = false;
    forget();
    recall(target, boxes(target));
    show(target);
  });
});

document.addEventListener("submit", ({ target, submitter }) => {
  if (!(target instanceof HTMLFormElement) || !target.matches(".picks[data-keep]")) return;
  const asked = submitter instanceof HTMLButtonElement ? submitter.value : "";
  const leaving = target.dataset.leaving?.split(" ") ?? []; // after which the list may have other runs
  if (leaving.includes(asked) || allOf(target)?.checked)
    forget(); // what is sent stands in the form
  else if (!LOOKING.includes(asked)) keepPlace(submitter);
});

/** The row after that one; of a heading in focus, the row below. @param {Element[]} rows @param {number} now */
function behind(rows, now) {
  const heading = now < 0 && document.activeElement?.closest("tr.group");
  const below = rows.findIndex(
    (row) => heading && heading.compareDocumentPosition(row) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  return heading && below >= 0 ? below : now + 1;
}

document.addEventListener("keydown", ({ target, key, ctrlKey, metaKey, altKey }) => {
  const isTyping = target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select, dialog");
  if (isTyping || ctrlKey || metaKey || altKey) return;
  const all = [...document.querySelectorAll(".picks .list tbody tr:not(.group)")];
  const rows = all.filter((row) => row.getClientRects().length > 0); // not those that are folded
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  const next = Math.max(0, Math.min(rows.length - 1, key === "j" ? behind(rows, now) : now - 1));
  /** @param {number} row @param {string} what @returns {HTMLElement | null | undefined} */
  const within = (row, what) => rows[row]?.querySelector(what);
  if (key === "j" || key === "k") within(next, ".key a")?.focus();
  if (key === "x" && now >= 0) within(now, ".pick")?.click();
  if (key === "b") focusBar();
});

function showAll() {
  /** @type {NodeListOf<HTMLFormElement>} */
  const forms = document.querySelectorAll("form.picks");
  for (const form of forms) {
    recall(form, boxes(form));
    show(form);
  }
}

document.addEventListener("htmx:afterSettle", showAll);
window.addEventListener("pageshow", showAll);
showAll();
returnToPlace();
