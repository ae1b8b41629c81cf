// Files dropped onto an instrument or a run, or chosen on the page that takes them. A drop leads to that page without
// leaving this one: a browser lets nobody carry files from page to page.
import { currentToken } from "./csrf.js";
import { filesOfDrop, filesOfInput, folderOf, sizeOf, unturned } from "./dropped.js";

/** @typedef {import("./dropped.js").Chosen} Chosen */

const SIGN_IN = "/accounts/login/";
const REFUSED = "The service did not take them.";

/** @type {typeof import("./uploads.js") | undefined} */
let uploads;

/** What sends is fetched once there is something to send. @param {Chosen[]} chosen */
async function takeFiles(chosen) {
  uploads ??= await import("./uploads.js");
  return uploads.takeFiles(chosen);
}

/** @type {Chosen[]} */
let carried = [];

const veil = () => /** @type {HTMLElement | null} */ (document.querySelector(".drop-veil"));
const taker = () => document.querySelector("#put-in");
const form = () => /** @type {HTMLFormElement | null} */ (document.querySelector("form[data-new-run]"));

/** A page in the place of this one, with the files; what stands in its way is said, and they are kept.
 * @param {() => Promise<Response>} ask */
async function lead(ask) {
  const answer = await ask().catch(() => null);
  const isAway = answer?.redirected && new URL(answer.url).pathname === SIGN_IN;
  if (answer && !isAway && (answer.ok || answer.status === 400)) return show(answer);
  const why = isAway
    ? "Your session has ended: sign in in another tab."
    : answer
      ? REFUSED
      : "The service was not reached.";
  const detail = { text: `The files are kept. ${why}`, act: "Try again", then: () => lead(ask) };
  document.dispatchEvent(new CustomEvent("ids:failed", { detail }));
}

/** @param {Response} answer */
async function show(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const [shown, next] = [document.querySelector("main"), page.querySelector("main")];
  if (!shown || !next) return window.location.assign(answer.url);
  const [places, marked] = [document.querySelector("#places"), page.querySelector("#places")];
  if (places && marked) places.replaceWith(document.adoptNode(marked));
  shown.replaceWith(document.adoptNode(next));
  document.title = page.title;
  if (answer.url !== window.location.href) window.history.pushState(null, "", answer.url);
  meet();
}

/** What there is to do on the page as it is now. */
function meet() {
  taker()?.removeAttribute("hidden");
  document.querySelector(".drop")?.removeAttribute("hidden");
  if (taker()) import("./uploads.js"); // ahead, while the network is there
  if (taker() && carried.length) {
    takeFiles(carried);
    carried = [];
  }
  const note = form()?.querySelector("[data-carried]") ?? document.querySelector("[data-carried]");
  const name = form()?.querySelector("input[name=run_id]");
  if (!form() || !carried.length || !(note instanceof HTMLElement) || !(name instanceof HTMLInputElement)) return;
  const bytes = carried.reduce((sum, { file }) => sum + file.size, 0);
  const [what, them] = carried.length === 1 ? ["1 file", "It is"] : [`${carried.length} files`, "They are"];
  note.hidden = false;
  note.textContent = `${what} chosen, ${sizeOf(bytes)}. ${them} sent as soon as the run is created.`;
  const button = form()?.querySelector("button");
  if (button) button.textContent = `Create run and send ${what}`;
  const told = unturned(folderOf(carried) || carried[0].path.replace(/\.[^.]*$/, ""));
  name.value ||= told.slice(0, name.maxLength > 0 ? name.maxLength : undefined).trim(); // a script may set more
  name.focus();
}

/** @param {Chosen[]} chosen */
async function take(chosen) {
  if (!chosen.length) return;
  if (taker()) return takeFiles(chosen);
  carried = chosen;
  const address = veil()?.dataset.address;
  if (address) await lead(() => fetch(address));
  else meet();
}

/** @param {SubmitEvent} event */
async function submit(event) {
  if (event.target !== form() || !carried.length) return;
  event.preventDefault();
  const body = new FormData(/** @type {HTMLFormElement} */ (event.target));
  const token = String(body.get("csrfmiddlewaretoken"));
  await lead(() => {
    body.set("csrfmiddlewaretoken", currentToken(token)); // a sign-in in another tab makes a new one
    return fetch("/runs/new", { method: "POST", body });
  });
}

/** @param {DragEvent} event */
const holdsFiles = ({ dataTransfer }) => Boolean(dataTransfer?.types.includes("Files"));

/** @param {boolean} isOver */
function mark(isOver) {
  const shown = veil();
  if (shown) shown.hidden = !isOver;
  document.querySelector(".drop")?.classList.toggle("over", isOver);
}

document.addEventListener("dragover", (event) => {
  if (!holdsFiles(event) || !(veil() || taker() || form())) return;
  event.preventDefault();
  mark(true);
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) mark(false);
});
document.addEventListener("drop", async (event) => {
  if (!event.dataTransfer || !holdsFiles(event) || !(veil() || taker() || form())) return;
  event.preventDefault();
  mark(false);
  await take(await filesOfDrop(event.dataTransfer));
});
document.addEventListener("change", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches("#pick-files, #pick-folder")) return;
  take(filesOfInput(target));
  target.value = "";
});
document.addEventListener("submit", submit);
window.addEventListener("popstate", () => window.location.reload());
window.addEventListener("beforeunload", (event) => {
  if (uploads?.isSending()) event.preventDefault();
});
meet();
