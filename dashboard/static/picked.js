// Rows that stay picked while one turns pages: kept for the browser's tab, as long as the same is looked for.

/** @typedef {{ key: string, allows: string, files?: string, bytes?: string }} Picked */

export const MOST = 300; // that are picked one by one: dashboard/runs/picked.py

/** @param {HTMLInputElement} box @returns {Picked} */
export const read = ({ value, dataset }) => ({
  key: value,
  allows: dataset.allows ?? "",
  files: dataset.files,
  bytes: dataset.bytes,
});

/** @param {HTMLFormElement} form @returns {Picked[]} */
function recallAll({ dataset: { keep: scope } }) {
  if (scope === undefined) return [];
  try {
    const kept = JSON.parse(window.sessionStorage.getItem("picked") ?? "{}");
    return kept.scope === scope ? kept.picked : [];
  } catch {
    return [];
  }
}

/** @param {HTMLFormElement} form @param {HTMLInputElement[]} onPage */
export function keptElsewhere(form, onPage) {
  const here = new Set(onPage.map(({ value }) => value));
  return recallAll(form).filter(({ key }) => !here.has(key));
}

/**
 * Puts what is picked on this page beside what is picked on others.
 * @param {HTMLFormElement} form @param {HTMLInputElement[]} onPage
 */
export function keep(form, onPage) {
  const scope = form.dataset.keep;
  if (scope === undefined) return;
  const others = keptElsewhere(form, onPage);
  const picked = [...others, ...onPage.filter(({ checked }) => checked).map(read)];
  try {
    window.sessionStorage.setItem("picked", JSON.stringify({ scope, picked }));
  } catch {
    return; // full or forbidden: then picked runs stay within their page
  }
  name(form, others);
}

export function forget() {
  window.sessionStorage.removeItem("picked");
}

/**
 * The boxes as they were, and inputs for what is picked on other pages.
 * @param {HTMLFormElement} form @param {HTMLInputElement[]} onPage
 */
export function recall(form, onPage) {
  const kept = new Set(recallAll(form).map(({ key }) => key));
  for (const box of onPage) box.checked ||= kept.has(box.value);
  if (form.dataset.keep !== undefined) name(form, keptElsewhere(form, onPage));
}

/** @param {HTMLFormElement} form @param {Picked[]} picked */
function name(form, picked) {
  const inputs = picked.map(({ key }) => {
    const input = document.createElement("input");
    [input.type, input.name, input.value] = ["hidden", "run", key];
    return input;
  });
  form.querySelector(".carried")?.replaceChildren(...inputs);
}
