// What was looked for lately, and saved views, under the empty box of the run list. Kept in this browser, for a person.
const MOST = 10;

/** @param {HTMLElement} list */
const nameOf = (list) => `searches:${list.dataset.person}`;

/** @param {HTMLElement} list @returns {string[]} */
function recall(list) {
  try {
    const kept = JSON.parse(window.localStorage.getItem(nameOf(list)) ?? "[]");
    return Array.isArray(kept) ? kept.filter((text) => typeof text === "string").slice(0, MOST) : [];
  } catch {
    return [];
  }
}

/** @param {HTMLElement} list @param {string[]} texts */
function store(list, texts) {
  try {
    window.localStorage.setItem(nameOf(list), JSON.stringify(texts.slice(0, MOST)));
  } catch {
    // full or forbidden: then nothing is remembered
  }
}

/** @param {HTMLInputElement} input @param {HTMLElement} list */
function start(input, list) {
  const lately = /** @type {HTMLElement} */ (list.querySelector("[data-recent]"));
  const entries = () => [...list.querySelectorAll("a")].filter((one) => one.getClientRects().length > 0);

  function fill() {
    const links = recall(list).map((text) => {
      const [item, link] = [document.createElement("li"), document.createElement("a")];
      link.className = "item";
      link.dir = "auto";
      link.textContent = text;
      link.href = `${input.form?.getAttribute("action") ?? ""}?${new URLSearchParams({ search: text })}`;
      item.append(link);
      return item;
    });
    lately.querySelector("ul")?.replaceChildren(...links);
    lately.hidden = links.length === 0;
  }

  function open() {
    fill();
    list.hidden = !list.querySelector("a");
  }

  function close() {
    list.hidden = true;
  }

  /** @param {number} step */
  function move(step) {
    const all = entries();
    const next = all.findIndex((one) => one === document.activeElement) + step;
    const target = next < 0 ? input : all[Math.min(next, all.length - 1)];
    if (target instanceof HTMLElement) target.focus();
  }

  /** What was typed before there was script: htmx takes it for what the list was made with. */
  function catchUp() {
    if (input === document.activeElement && input.value !== input.defaultValue) input.form?.requestSubmit();
  }

  /** A filter that was taken off leaves the box as well, where it was typed. @param {Event} event */
  function follow(event) {
    const { requestConfig, shouldSwap } = /** @type {CustomEvent} */ (event).detail;
    const link = requestConfig.elt;
    if (!shouldSwap || !(link instanceof HTMLAnchorElement) || !link.closest("#chips")) return;
    input.value = new URL(link.href).searchParams.get("search") ?? "";
  }

  document.addEventListener("DOMContentLoaded", catchUp);
  document.addEventListener("htmx:beforeSwap", follow);
  input.addEventListener("focus", () => input.value || open());
  input.addEventListener("input", () => (input.value ? close() : open()));
  input.addEventListener("change", () => {
    const text = input.value.trim();
    if (text.length > 1) store(list, [text, ...recall(list).filter((other) => other !== text)]);
  });
  list.querySelector("[data-forget]")?.addEventListener("click", () => {
    store(list, []);
    input.focus();
    open();
  });
  list.parentElement?.addEventListener("keydown", (event) => {
    const { key } = event;
    if (key === "Escape" && !list.hidden) {
      input.focus();
      close();
    } else if (key === "ArrowDown" || key === "ArrowUp") {
      if (list.hidden) open();
      if (!list.hidden) move(key === "ArrowDown" ? 1 : -1);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  list.parentElement?.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !list.parentElement?.contains(relatedTarget)) close();
  });
}

const [input, list] = [document.getElementById("search"), document.getElementById("searches")];
if (input instanceof HTMLInputElement && list) start(input, list);
