// The menu that takes a curve, a plate or a table along: PNG, SVG, CSV, the clipboard, paper.

// Fetched when they are asked for; the menu carries their addresses, with the hash of their content.
/** @param {HTMLElement} menu @returns {Promise<typeof import("./sheet.js")>} */
const sheets = (menu) => import(menu.dataset.sheet ?? "");
/** @param {HTMLElement} menu @returns {Promise<typeof import("./picture.js")>} */
const pictures = (menu) => import(menu.dataset.picture ?? "");

/** @param {Blob} blob @param {string} name */
function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** @param {HTMLElement} menu */
async function fetchRows(menu) {
  const { rowsOf } = await sheets(menu);
  const answer = await fetch(menu.dataset.export ?? "", { headers: { Accept: "application/json" } });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  return rowsOf(await answer.json());
}

/** The plate as it stands on the page, its numbers with all their digits. @param {Element} figure */
function gridOf(figure) {
  return [...figure.querySelectorAll("#plate tr")].map((row) =>
    [...row.children].map((one) => {
      const shown = one instanceof HTMLElement ? one : null;
      return shown?.dataset.value ?? (shown?.textContent ?? "").trim();
    }),
  );
}

/** @type {Record<string, (menu: HTMLElement, figure: HTMLElement, name: string) => unknown>} */
const ACTS = {
  csv: async (menu, _figure, name) => {
    const { csv } = await sheets(menu);
    save(new Blob([csv(await fetchRows(menu))], { type: "text/csv;charset=utf-8" }), `${name}.csv`);
  },
  copy: async (menu, figure) => navigator.clipboard.writeText((await sheets(menu)).csv(gridOf(figure))),
  svg: async (menu, figure, name) => {
    const { pictureOf } = await pictures(menu);
    const picture = pictureOf(figure, menu.dataset.title ?? name);
    if (picture) save(new Blob([picture.text], { type: "image/svg+xml" }), `${name}.svg`);
  },
  png: async (menu, figure, name) => {
    const { pictureOf, pngOf } = await pictures(menu);
    const picture = pictureOf(figure, menu.dataset.title ?? name);
    if (picture) save(await pngOf(picture), `${name}.png`);
  },
  print: () => window.print(),
};

/** @param {HTMLElement} menu @param {HTMLElement} button */
async function act(menu, button) {
  const [figure, said] = [menu.closest("figure"), menu.querySelector("output")];
  const chosen = ACTS[button.dataset.as ?? ""];
  if (!figure || !chosen) return;
  const name = (menu.dataset.name ?? "export").replace(/\.json$/, "").replace(/[^\p{L}\p{N}._-]+/gu, "_");
  try {
    await chosen(menu, figure, name);
    if (said) said.textContent = button.dataset.as === "copy" ? "Copied." : "";
  } catch {
    if (said) said.textContent = "That did not work. Try again.";
    return;
  }
  if (button.dataset.as !== "copy") menu.removeAttribute("open");
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("[data-export] [data-as]") : null;
  const menu = button?.closest("[data-export]");
  if (button instanceof HTMLElement && menu instanceof HTMLElement) act(menu, button);
});

function showAll() {
  for (const menu of document.querySelectorAll("[data-export]")) menu.removeAttribute("hidden");
}

document.addEventListener("htmx:afterSettle", showAll);
showAll();
