// The files on their way: checksums, then what the run has; new ones are sent at once, clashes are asked about first.
import { sizeOf, spelt, within } from "./dropped.js";
import { ABOUT, CHOICES, part, place, tellQuestions } from "./put_in_page.js";
import { ask, send } from "./sending.js";
import { sumsOf, Unreadable } from "./sums.js";

/** @typedef {{ row: HTMLElement, state: string, sent: number, isDecided: boolean }} Progress */
/** @typedef {import("./sending.js").Own & Progress} Upload */

const AT_ONCE = 3;
const COMPARED_AT_ONCE = 200;
const SENT_STATES = new Set(["new", "waits", "other_bytes", "other_name", "failed"]);
const AT_ONCE_STATES = new Set(["new", "waits"]);
const ENDS = new Set(["here", "sent", "dismissed"]);
const BROKEN = new Set(["unreadable", "failed"]);

/** @type {Set<Upload>} */
const uploads = new Set();
let busy = false;
let isStopped = false;

/** @param {Upload} upload */
const choice = (upload) => /** @type {HTMLSelectElement} */ (upload.row.querySelector("select"));

/** @param {Upload} upload */
const isLeft = (upload) => choice(upload).value === "leave";

const toSend = () => [...uploads].filter((one) => SENT_STATES.has(one.state) && !isLeft(one));

/** What somebody has to decide before anything is sent. */
const asked = () => [...uploads].filter((one) => one.state in CHOICES && !one.isDecided);

/** @param {Upload} upload @param {number} share */
function advance(upload, share) {
  const bar = /** @type {HTMLProgressElement} */ (upload.row.querySelector("progress"));
  bar.hidden = share >= 1 || !["sums", "sending"].includes(upload.state);
  bar.value = share;
  bar.setAttribute("aria-label", upload.path);
}

/** @param {Upload} upload @param {string} state @param {string} [about] */
function become(upload, state, about = "") {
  upload.state = state;
  upload.row.dataset.state = state;
  const sign = part(`template[data-state="${state}"]`).content.cloneNode(true);
  upload.row.querySelector(".state")?.replaceChildren(sign);
  /** @type {HTMLElement} */ (upload.row.querySelector(".sub")).textContent = about;
  const word = Reflect.get(CHOICES, state);
  const label = /** @type {HTMLElement} */ (upload.row.querySelector(".instead"));
  label.hidden = !word;
  if (word) choice(upload).options[0].text = word;
  advance(upload, 0);
  tell();
}

/** What is said of all files together. */
function tell() {
  const all = [...uploads];
  const bytes = all.reduce((sum, one) => sum + one.file.size, 0);
  const sent = all.reduce((sum, one) => sum + (ENDS.has(one.state) ? one.file.size : one.sent), 0);
  const waiting = all.filter((one) => (SENT_STATES.has(one.state) || one.state === "twice") && !isLeft(one));
  const ready = all.every(({ state }) => !["waiting", "sums"].includes(state));
  const isDone = ready && !busy && all.length > 0 && !waiting.length;
  const questions = ready && !busy ? asked() : [];
  part("#h-chosen").textContent = all.length === 1 ? "1 file" : `${all.length} files`;
  part("#whole").value = bytes ? sent / bytes : 1;
  part("#send").hidden = busy || !ready || !waiting.length || questions.length > 0;
  part("#send").lastChild.textContent = `Send ${waiting.length}`;
  part("#stop").hidden = !busy || !waiting.length;
  part("#stop").ariaDisabled = String(isStopped);
  part("#stop").textContent = isStopped ? "Stopping" : "Stop"; // it keeps the focus until there is something to press
  part("#done").hidden = !isDone;
  tellQuestions(questions, waiting);
  const said = `${sizeOf(sent)} of ${sizeOf(bytes)} sent${busy && isStopped ? "; stops after what is on its way" : ""}`;
  const missing = all.filter(({ state }) => !ENDS.has(state)).length;
  const end = missing ? `${all.length - missing} of ${all.length} are here.` : "All of them are here.";
  const doing = busy && !navigator.onLine ? "You are offline; it goes on by itself when the network is back." : said;
  const resting = busy || isDone ? doing : `${sizeOf(bytes)}, nothing is being sent`;
  const words = isDone ? end : ready ? resting : `${sizeOf(bytes)}, checksums are made`;
  if (part("#sum").textContent !== words) part("#sum").textContent = words;
}

/** @param {import("./dropped.js").Chosen} chosen */
function add({ file, path }) {
  const row = part("#put-in-row").content.cloneNode(true).firstElementChild;
  row.querySelector(".name").textContent = spelt(path);
  row.querySelector(".num").textContent = sizeOf(file.size);
  part(".uploads").append(row);
  /** @type {Upload} */
  const upload = {
    file,
    path,
    row,
    sha256: "",
    crc32: "",
    newVersion: false,
    state: "waiting",
    sent: 0,
    isDecided: false,
  };
  uploads.add(upload);
  choice(upload).addEventListener("change", tell);
  become(upload, "waiting");
  return upload;
}

/** @param {Upload} upload */
async function addSums(upload) {
  become(upload, "sums");
  try {
    const sums = await sumsOf(upload.file, place().addresses, (read) => advance(upload, read / upload.file.size));
    Object.assign(upload, { sha256: sums.sha256, crc32: sums.crc32 });
  } catch (fault) {
    become(upload, "unreadable", String(/** @type {Error} */ (fault).message));
  }
}

/** @param {Upload[]} some */
async function compare(some) {
  const files = some.map(({ path, file, sha256 }) => ({ relative_path: path, size_bytes: file.size, sha256 }));
  const answer = await ask(place(), `${place().url}/known`, { files });
  for (const [number, { likeness, known }] of answer.files.entries()) {
    const about = likeness === "other_name" ? `The run has these bytes as ${known}.` : Reflect.get(ABOUT, likeness);
    const isVersion = likeness === "here" && known !== some[number].path;
    become(some[number], likeness, isVersion ? `As ${known}.` : about);
    some[number].newVersion = likeness === "other_bytes";
  }
}

/** Whether one of the same name was chosen before it and waits still. @param {Upload} upload */
function hasElder(upload) {
  const same = [...uploads].filter((one) => one === upload || (one.path === upload.path && !isLeft(one)));
  return same.slice(0, same.indexOf(upload)).some(({ state }) => !ENDS.has(state));
}

/** Bytes that were chosen before, under another name, where the run does not have them yet. @param {Upload[]} some */
function tellTwins(some) {
  /** @type {Map<string, Upload>} */
  const elders = new Map();
  for (const one of uploads) {
    const elder = elders.get(one.sha256);
    if (!elder && one.sha256 && one.file.size) elders.set(one.sha256, one);
    if (!elder || one.state !== "new" || !some.includes(one)) continue;
    become(one, "other_name", `${elder.path}, chosen too, has the same bytes.`);
  }
}

/** With what the run has; a name that comes twice waits for the first of them. @param {Upload[]} some */
async function compareAll(some) {
  for (const one of some.filter(hasElder)) become(one, "twice", ABOUT.twice);
  const read = some.filter((one) => one.sha256 && !hasElder(one));
  for (let start = 0; start < read.length; start += COMPARED_AT_ONCE) {
    const batch = read.slice(start, start + COMPARED_AT_ONCE);
    await compare(batch).catch((fault) => {
      for (const one of batch) become(one, "failed", fault.message);
    });
  }
  tellTwins(read);
}

/**
 * The row of a chosen file: that of one that could not be sent takes it anew; none where it is on the page already.
 * @param {import("./dropped.js").Chosen} chosen @returns {Upload[]}
 */
function rowFor({ file, path }) {
  const same = [...uploads].filter((one) => one.path === path);
  const broken = same.find(({ state }) => BROKEN.has(state));
  if (broken) return [Object.assign(broken, { file, sha256: "", isDecided: false })];
  const isThere = same.some((one) => one.file.size === file.size && one.file.lastModified === file.lastModified);
  return isThere ? [] : [add({ file, path })];
}

/** @param {import("./dropped.js").Chosen[]} chosen */
export async function takeFiles(chosen) {
  part("#chosen").hidden = false;
  const added = within(chosen).flatMap(rowFor);
  for (const upload of added) await addSums(upload);
  await compareAll(added);
  isStopped = false;
  part(".uploads").prepend(...asked().map(({ row }) => row));
  await goOn();
}

/** Sends what nobody has to decide about, where nothing is to be decided; else says what is. */
async function goOn() {
  tell();
  if (busy) return; // what is being sent looks again at its end
  const waiting = toSend();
  if (!asked().length && !isStopped && waiting.length && waiting.every(isFree)) return sendAll();
  const next = ["#send-all", "#send", "#done"].map(part).find((one) => one.offsetParent);
  next?.focus();
}

/** @param {Upload} upload */
const isFree = ({ state, isDecided }) => AT_ONCE_STATES.has(state) || (isDecided && state in CHOICES);

/** @param {Upload} upload */
async function sendOne(upload) {
  become(upload, "sending");
  try {
    await send(place(), upload, (sent) => {
      upload.sent = sent;
      advance(upload, sent / upload.file.size);
      tell();
    });
    become(upload, "sent");
  } catch (fault) {
    upload.sent = 0;
    const state = fault instanceof Unreadable ? "unreadable" : "failed";
    become(upload, state, String(/** @type {Error} */ (fault).message));
  }
}

async function sendAll() {
  busy = true;
  isStopped = false;
  const queue = toSend();
  const lane = async () => {
    for (let next = queue.shift(); next && !isStopped; next = queue.shift()) await sendOne(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  busy = false;
  await compareAll([...uploads].filter((one) => one.state === "twice"));
  await goOn();
}

/** @param {Upload[]} questions */
function decide(questions) {
  for (const one of questions) one.isDecided = true;
  sendAll();
}

function leaveOut() {
  const questions = asked();
  for (const one of questions) choice(one).value = "leave";
  decide(questions);
}

for (const change of ["offline", "online"]) window.addEventListener(change, tell);

export const isSending = () => busy;

document.addEventListener("click", ({ target }) => {
  const id = target instanceof Element && target.closest("#put-in button")?.id;
  if (id === "stop") isStopped = busy;
  if (busy) return tell();
  if (id === "send") sendAll();
  if (id === "send-all") decide(asked());
  if (id === "send-rest") leaveOut();
});
