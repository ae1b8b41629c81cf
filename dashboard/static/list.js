// Lists with a selection: sums and what all picked rows allow, shift-click ranges, j k x, select all, "Copy link".

/** @type {HTMLInputElement | null} */
let last = null;

/** @param {HTMLFormElement} form @returns {HTMLInputElement[]} */
const boxes = (form) => [...form.querySelectorAll(".list .pick")].map((box) => /** @type {HTMLInputElement} */ (box));

/** @param {number} count */
const bytes = (count) => {
  const units = ["KB", "MB", "GB", "TB"];
  let unit = 0;
  for (count /= 1000; count >= 999.5 && unit < 3; unit += 1) count /= 1000;
  return `${count.toFixed(unit ? 1 : 0)} ${units[unit]}`;
};

/** @param {HTMLInputElement[]} picked */
function sumOf(picked) {
  if (!picked.length) return "";
  /** @param {string} name */
  const total = (name) => picked.reduce((sum, box) => sum + Number(box.dataset[name] ?? 0), 0);
  const hasFiles = picked.some((box) => "files" in box.dataset);
  return (hasFiles ? `${total("files").toLocaleString("en")} files, ` : "") + bytes(total("bytes"));
}

/** @param {HTMLFormElement} form */
function show(form) {
  const all = boxes(form);
  const picked = all.filter((box) => box.checked);
  for (const sum of form.querySelectorAll(".bulk .sum")) sum.textContent = sumOf(picked);
  /** @type {NodeListOf<HTMLButtonElement>} */
  const buttons = form.querySelectorAll(".bulk [name=do]");
  for (const button of buttons) {
    button.hidden = !picked.every((box) => (box.dataset.allows ?? "").split(" ").includes(button.value));
  }
  /** @type {NodeListOf<HTMLElement>} */
  const hints = form.querySelectorAll(".bulk .hint");
  for (const hint of hints) hint.hidden = [...buttons].some((button) => !button.hidden);
  /** @type {HTMLInputElement | null} */
  const head = form.querySelector(".pick-all");
  if (!head) return;
  head.hidden = false;
  head.checked = picked.length > 0 && picked.length === all.length;
  head.indeterminate = picked.length > 0 && picked.length < all.length;
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
  if (!(target instanceof HTMLInputElement) || !target.form || !target.matches(".pick, .pick-all")) return;
  if (target.matches(".pick-all")) for (const box of boxes(target.form)) box.checked = target.checked;
  show(target.form);
});

document.addEventListener("reset", ({ target }) => setTimeout(() => show(/** @type {HTMLFormElement} */ (target))));

document.addEventListener("keydown", ({ target, key, ctrlKey, metaKey, altKey }) => {
  const isTyping = target instanceof Element && target.closest("input:not(.pick), textarea, select, dialog");
  if (isTyping || ctrlKey || metaKey || altKey) return;
  const all = [...document.querySelectorAll(".picks .list tbody tr:not(.group)")];
  const rows = all.filter((row) => row.getClientRects().length > 0); // not those that are folded
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  const next = Math.max(0, Math.min(rows.length - 1, now + (key === "j" ? 1 : -1)));
  /** @param {number} row @param {string} what @returns {HTMLElement | null | undefined} */
  const within = (row, what) => rows[row]?.querySelector(what);
  if (key === "j" || key === "k") within(next, ".key a")?.focus();
  if (key === "x" && now >= 0) within(now, ".pick")?.click();
});

function showAll() {
  /** @type {NodeListOf<HTMLFormElement>} */
  const forms = document.querySelectorAll("form.picks");
  forms.forEach(show);
}

document.addEventListener("htmx:afterSettle", showAll);
window.addEventListener("pageshow", showAll);
showAll();
