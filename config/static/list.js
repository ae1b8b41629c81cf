// Lists with a selection: sums and what all picked rows allow, shift-click ranges, j k x, select all, "Copy link".
let last = null;

const boxes = (form) => [...form.querySelectorAll(".list .pick")];
const bytes = (count) => {
  const units = ["KB", "MB", "GB", "TB"];
  let unit = 0;
  for (count /= 1000; count >= 999.5 && unit < 3; unit += 1) count /= 1000;
  return `${count.toFixed(unit ? 1 : 0)} ${units[unit]}`;
};

function show(form) {
  const all = boxes(form);
  const picked = all.filter((box) => box.checked);
  const total = (name) => picked.reduce((sum, box) => sum + Number(box.dataset[name] ?? 0), 0);
  const files = picked.some((box) => "files" in box.dataset) ? `${total("files").toLocaleString("en")} files, ` : "";
  for (const sum of form.querySelectorAll(".bulk .sum")) sum.textContent = picked.length ? files + bytes(total("bytes")) : "";
  const buttons = [...form.querySelectorAll(".bulk [name=do]")];
  for (const button of buttons) {
    button.hidden = !picked.every((box) => (box.dataset.allows ?? "").split(" ").includes(button.value));
  }
  for (const hint of form.querySelectorAll(".bulk .hint")) hint.hidden = buttons.some((button) => !button.hidden);
  const head = form.querySelector(".pick-all");
  if (!head) return;
  head.hidden = false;
  head.checked = picked.length > 0 && picked.length === all.length;
  head.indeterminate = picked.length > 0 && picked.length < all.length;
}

document.addEventListener("click", (event) => {
  const box = event.target.closest?.(".pick");
  if (!box) return;
  const all = boxes(box.form);
  const [from, to] = [all.indexOf(last), all.indexOf(box)].sort((a, b) => a - b);
  if (event.shiftKey && from >= 0) for (const between of all.slice(from, to + 1)) between.checked = box.checked;
  last = box;
});

document.addEventListener("change", ({ target }) => {
  if (!target.matches?.(".pick, .pick-all")) return;
  if (target.matches(".pick-all")) for (const box of boxes(target.form)) box.checked = target.checked;
  show(target.form);
});

document.addEventListener("reset", ({ target }) => setTimeout(() => show(target)));

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input:not(.pick), textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...document.querySelectorAll(".picks .list tbody tr")];
  const now = rows.findIndex((row) => row.contains(document.activeElement));
  if (event.key === "j" || event.key === "k") rows[Math.max(0, Math.min(rows.length - 1, now + (event.key === "j" ? 1 : -1)))]?.querySelector(".key a")?.focus();
  if (event.key === "x" && now >= 0) rows[now].querySelector(".pick")?.click();
});

const showAll = () => document.querySelectorAll("form.picks").forEach(show);
document.addEventListener("htmx:afterSettle", showAll);
window.addEventListener("pageshow", showAll);
showAll();
