// What a form held when a session had ended, a page was too old or the service was away: kept in this tab, for the
// person who wrote it and without secrets. A text that is all of its form is put back into it; whatever else it was, a
// bar says that it was not done, and does it again. What a secret was left out of is only filled in again.
const KEY = "unsent";
const FRESH = 120_000; // ms: what was sent longer ago was answered, by a file for example
const KEPT = 12 * 3_600_000; // ms: a working day, and no longer
const MAX_CHARS = 500_000; // ten thousand picked runs
const TYPED = ["text", "search", "url", "email", "tel", "number"];
const BESIDE_TEXTS = "input[name]:not([type=hidden], [type=file]), select[name]";
const SECRETS = /(?:^|\s)(?:off|one-time-code|(?:new|current)-password)(?:\s|$)/;

/**
 * @typedef {[string, string]} Field
 * @typedef {{ person: string, page: string, action: string, texts: Field[], fields: Field[], what: string, at: number,
 *   isWhole: boolean, isInterrupted: boolean }} Unsent
 */

/** Who is signed in, by this page; pages without the rail do not say. */
const personOf = () => document.body.dataset.person ?? "";

/** @param {HTMLFormElement} form */
const textsOf = (form) =>
  [...form.querySelectorAll("textarea[name]")].map((box) => /** @type {HTMLTextAreaElement} */ (box));

/** What browsers shall not remember is not kept, unless the page says so. @param {Element} field */
function isSecret(field) {
  if (field.closest("[data-secret]")) return true;
  if (field instanceof HTMLInputElement && field.type === "file") return true;
  const isTyped =
    field instanceof HTMLTextAreaElement || (field instanceof HTMLInputElement && TYPED.includes(field.type));
  if (!isTyped || field.closest("[data-keep]")) return false;
  const said = field.getAttribute("autocomplete") ?? field.form?.getAttribute("autocomplete") ?? "";
  return SECRETS.test(said);
}

/** @param {HTMLFormElement} form */
const secretsOf = (form) => [...form.elements].filter((field) => "value" in field && field.value && isSecret(field));

/** @returns {Unsent | null} */
const read = () => JSON.parse(sessionStorage.getItem(KEY) ?? "null");

/** @param {Unsent} unsent */
function write(unsent) {
  const text = JSON.stringify(unsent);
  try {
    if (text.length > MAX_CHARS) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, text);
  } catch {
    sessionStorage.removeItem(KEY); // more than a tab may keep
  }
}

/** In words: the button, and for how many runs. @param {HTMLElement | null} button @param {Field[]} fields */
function nameOf(button, fields) {
  const runs = fields.filter(([name]) => name === "run").length;
  const said = button?.textContent?.trim().replace(/\s+/g, " ") || "What you sent";
  return `“${said}”${runs ? ` for ${runs} ${runs === 1 ? "run" : "runs"}` : ""}`;
}

/** @param {SubmitEvent} event */
function keep({ target, submitter }) {
  if (!(target instanceof HTMLFormElement) || target.method !== "post" || !personOf()) return;
  if ("leaves" in target.dataset) return sessionStorage.removeItem(KEY);
  if (target.querySelector("[type=password]")) return;
  const secrets = secretsOf(target);
  const left = new Set(["csrfmiddlewaretoken", ...secrets.map((field) => field.getAttribute("name"))]);
  const sent = [...new FormData(target, submitter)].filter(([name]) => !left.has(name));
  const fields = sent.map(([name, value]) => /** @type {Field} */ ([name, String(value)]));
  const isText = textsOf(target).length === 1 && !target.querySelector(BESIDE_TEXTS);
  const texts = textsOf(target).filter((box) => isText && box.value && !left.has(box.name));
  const address = new URL(submitter?.getAttribute("formaction") ?? target.action, window.location.href);
  write({
    person: personOf(),
    page: window.location.pathname + window.location.search,
    action: address.pathname + address.search,
    texts: texts.map((box) => [box.name, box.value]),
    fields,
    what: nameOf(submitter, fields),
    at: Date.now(),
    isWhole: secrets.length === 0,
    isInterrupted: false,
  });
}

/** @param {Unsent} unsent */
function sendAgain({ action, fields }) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = action;
  form.hidden = true;
  for (const [name, value] of [["csrfmiddlewaretoken", ""], ...fields]) {
    const field = document.createElement("input");
    field.type = "hidden";
    [field.name, field.value] = [name, value];
    form.append(field);
  }
  document.body.append(form);
  form.requestSubmit(); // failures.js puts in the token that counts
}

/** @param {Unsent} unsent */
function offer(unsent) {
  const again = { act: "Try again", then: () => sendAgain(unsent) };
  const fill = { act: "Fill it in again", then: () => window.location.assign(unsent.page) };
  const detail = { text: `${unsent.what} was not done.`, ...(unsent.isWhole ? again : fill) };
  document.dispatchEvent(new CustomEvent("ids:failed", { detail }));
}

/** @param {HTMLFormElement} form @param {Unsent} unsent */
function putBack(form, unsent) {
  for (const box of textsOf(form)) {
    const text = unsent.texts.find(([name]) => name === box.name)?.[1];
    if (!text || box.value === text) continue;
    box.value = text;
    box.focus();
  }
  const note = document.createElement("p");
  note.className = "small";
  note.setAttribute("role", "status");
  note.textContent = "This was not sent yet. Send it when it is as you want it.";
  form.append(note);
}

/** @param {HTMLElement} page what stands in the way */
function wait(page) {
  const unsent = /** @type {Unsent} */ (read());
  if (!unsent.isInterrupted && Date.now() - unsent.at > FRESH) return sessionStorage.removeItem(KEY);
  write({ ...unsent, isInterrupted: true });
  if (page.dataset.interrupts === "passing") offer(unsent);
}

/** @param {PageTransitionEvent} event */
function meet({ persisted }) {
  const unsent = read();
  if (!unsent) return;
  const isAnothers = personOf() && personOf() !== unsent.person;
  if (isAnothers || Date.now() - unsent.at > KEPT) return sessionStorage.removeItem(KEY);
  const page = document.querySelector("[data-interrupts]");
  if (page instanceof HTMLElement) return wait(page);
  const [visit] = performance.getEntriesByType("navigation");
  const isBack = persisted || Reflect.get(visit ?? {}, "type") === "back_forward";
  const form = [...document.forms].find((one) => new URL(one.action).pathname === unsent.action);
  if (unsent.isInterrupted && unsent.texts.length && !form) return;
  sessionStorage.removeItem(KEY);
  if (unsent.texts.length && form && (unsent.isInterrupted || isBack)) putBack(form, unsent);
  else if (unsent.isInterrupted) offer(unsent);
}

document.addEventListener("submit", keep);
window.addEventListener("pageshow", meet);
