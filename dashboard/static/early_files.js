// Files that were pasted or dropped for a script that is still on its way: kept, and handed to it as `ids:files`. Those
// that are chosen by a button ("Add a picture") come to it in this way always.

/** @typedef {{ box: Element, files: File[] }} Kept */

/** By what needs the script, until it has come. @type {Map<string, { type: string, kept: Kept[] }>} */
const expected = new Map();

/** @param {string} neededBy @param {string} type with which all of the files begin, such as `image/` */
export function expectFiles(neededBy, type) {
  if (!expected.has(neededBy)) expected.set(neededBy, { type, kept: [] });
}

/** @param {HTMLScriptElement} script @param {string} neededBy */
export function handTo(script, neededBy) {
  script.addEventListener("load", () => {
    const { kept } = expected.get(neededBy) ?? { kept: [] };
    expected.delete(neededBy);
    for (const { box, files } of kept) box.dispatchEvent(new CustomEvent("ids:files", { detail: files }));
  });
  script.addEventListener("error", () => {
    const text = "What takes your pictures here did not come.";
    const detail = { text, act: "Try again", then: () => fetchAgain(script, neededBy) };
    document.dispatchEvent(new CustomEvent("ids:failed", { detail }));
  });
}

/** From another address: what failed once stays so. @param {HTMLScriptElement} script @param {string} neededBy */
function fetchAgain({ src }, neededBy) {
  const script = document.createElement("script");
  script.type = "module";
  script.src = `${src.split("?")[0]}?again=${Date.now()}`;
  handTo(script, neededBy);
  document.head.append(script);
}

/** @param {ClipboardEvent | DragEvent} event */
function keep(event) {
  const transfer = "clipboardData" in event ? event.clipboardData : event.dataTransfer;
  const files = [...(transfer?.files ?? [])];
  if (!files.length || transfer?.types.includes("text/plain")) return; // a table of cells comes as both
  for (const [neededBy, { type, kept }] of expected) {
    const box = event.target instanceof Element ? event.target.closest(neededBy) : null;
    if (!box || !files.every((file) => file.type.startsWith(type))) continue;
    event.preventDefault();
    event.stopImmediatePropagation();
    kept.push({ box, files });
  }
}

/** @param {Event} event */
function choose({ target }) {
  const button = target instanceof Element ? target.closest("[data-choose]") : null;
  if (button) document.getElementById(button.getAttribute("data-choose") ?? "")?.click();
}

/** @param {Event} event */
function takeChosen({ target }) {
  const box = target instanceof HTMLInputElement && document.getElementById(target.dataset.chosenFor ?? "");
  if (!box) return;
  const files = [...(target.files ?? [])];
  target.value = "";
  const waiting = [...expected].find(([neededBy]) => box.matches(neededBy))?.[1];
  if (waiting) waiting.kept.push({ box, files });
  else box.dispatchEvent(new CustomEvent("ids:files", { detail: files }));
}

for (const button of document.querySelectorAll("[data-choose]")) button.removeAttribute("hidden");
document.addEventListener("click", choose);
document.addEventListener("change", takeChosen);

document.addEventListener("paste", keep, true);
document.addEventListener("drop", keep, true);
