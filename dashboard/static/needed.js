// Scripts that are fetched when the page has what they are for, or somebody turns to it. They start by themselves.
import { expectFiles, handTo } from "./early_files.js";

/** @param {HTMLTemplateElement} template */
function fetchScripts(template) {
  if (!template.isConnected) return;
  const made = document.importNode(template.content, true);
  for (const script of made.querySelectorAll("script")) {
    if ("files" in script.dataset) handTo(script, template.dataset.neededBy ?? "");
  }
  document.head.append(made);
  template.remove();
}

/** @returns {HTMLTemplateElement[]} */
const waiting = () => [...document.querySelectorAll("template[data-needed-by]")].map((one) => /** @type {any} */ (one));

function lookAround() {
  for (const template of waiting()) {
    const { neededBy = "", neededOn, neededFiles } = template.dataset;
    if (neededFiles) expectFiles(neededBy, neededFiles);
    const found = [...document.querySelectorAll(neededBy)];
    if (!neededOn && found.length) fetchScripts(template);
    if (neededOn && found.some((one) => one === document.activeElement)) fetchScripts(template);
  }
}

/** @param {Event} event */
function turnTo({ type, target }) {
  for (const template of waiting()) {
    const { neededBy = "", neededOn = "" } = template.dataset;
    const isMeant = neededOn.split(" ").includes(type) && target instanceof Element && target.closest(neededBy);
    if (isMeant) fetchScripts(template);
  }
}

for (const type of ["pointerover", "focusin", "dragover"]) document.addEventListener(type, turnTo);
document.addEventListener("htmx:afterSettle", lookAround);
lookAround();
