// What failed is said in a bar with a way on: requests of htmx, the end of a session, a network that is away.
import { currentToken, tokenFieldOf } from "./csrf.js";

/** `isAway`: of a network that is away, and over once it is back; `onReturn` is done then. */
/** @typedef {{ text: string, act: string, then: () => void, isAway?: boolean, onReturn?: () => void }} Failure */

/** @type {HTMLElement | null} */
let bar = null;
/** @type {(() => void) | undefined} */
let resume;

/** @param {Failure} failure */
function say({ text, act, then, isAway = false, onReturn }) {
  bar?.remove();
  resume = onReturn;
  bar = document.createElement("div");
  bar.className = "toast bad";
  bar.dataset.away = String(isAway);
  bar.setAttribute("role", "alert");
  const said = document.createElement("span");
  said.textContent = text;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "linklike";
  button.textContent = act;
  button.addEventListener("click", () => {
    bar?.remove();
    then();
  });
  bar.append(said, button);
  document.querySelector(".toasts")?.append(bar);
}

const reload = () => window.location.reload();

/** The words of a page of refusal. @param {XMLHttpRequest} answer */
function wordsOf(answer) {
  const page = new DOMParser().parseFromString(answer.responseText, "text/html");
  return page.querySelector(".lede")?.textContent.trim() || `The service answered ${answer.status}.`;
}

/** @param {Event} event */
const detailOf = (event) => /** @type {CustomEvent} */ (event).detail;

/** Whether asking once more changes nothing but what is shown. @param {Event} event */
const isRepeatable = (event) => detailOf(event).elt.isConnected && detailOf(event).requestConfig.verb === "get";

/** The same request once more. @param {Event} event */
function again(event) {
  const { elt, target } = detailOf(event);
  /** @type {{ ajax(verb: string, path: string, context: object): void }} */
  const htmx = Reflect.get(window, "htmx");
  if (!isRepeatable(event)) return reload();
  htmx.ajax("get", detailOf(event).pathInfo.finalRequestPath, { source: elt, target });
}

/** @param {Event} event */
const refused = (event) => say({ text: wordsOf(detailOf(event).xhr), act: "Try again", then: () => again(event) });

/** @param {Event} event */
const unsent = (event) =>
  say({
    text: "The service was not reached.",
    act: "Try again",
    then: () => again(event),
    isAway: true,
    onReturn: () => isRepeatable(event) && again(event),
  });

/** The token of a page is of its time; the cookie's is the one that counts. @param {Event} event */
function renewToken({ target }) {
  if (!(target instanceof HTMLFormElement)) return;
  const token = tokenFieldOf(target);
  if (token) token.value = currentToken(token.value);
}

function sayOffline() {
  say({ text: "You are offline. What this page shows may be old.", act: "Try again", then: reach, isAway: true });
}

/** Loading the page anew would end an upload, and lose what is being written. */
async function reach() {
  const answer = await fetch(window.location.href, { method: "HEAD" }).catch(() => null);
  if (!answer) sayOffline();
}

function signIn() {
  window.location.assign(
    `/accounts/login/?next=${encodeURIComponent(window.location.pathname + window.location.search)}`,
  );
}

document.addEventListener("htmx:responseError", refused);
document.addEventListener("htmx:sendError", unsent);
document.addEventListener("htmx:timeout", unsent);
document.addEventListener("submit", renewToken, true);
document.addEventListener("ids:signed-out", () => {
  if (bar?.isConnected) return; // with a way on of its own, which would be lost
  say({ text: "Your session has ended. What this page shows may be old.", act: "Sign in", then: signIn });
});
document.addEventListener("ids:failed", (event) => say(detailOf(event)));
window.addEventListener("offline", () => {
  if (!bar?.isConnected) sayOffline();
});
window.addEventListener("online", () => {
  if (!bar?.isConnected || bar.dataset.away !== "true") return;
  bar.remove();
  resume?.();
});
