// The list of files on their way: checksums first, then what the run has of them, then they are sent.
import { within } from "./dropped.js";
import { ask, send } from "./sending.js";
import { sumsOf, Unreadable } from "./sums.js";

/** @typedef {import("./sending.js").Own & { row: HTMLElement, state: string, sent: number }} Upload */

const AT_ONCE = 3;
const COMPARED_AT_ONCE = 200;
const CHOICES = { other_bytes: "Keep both", other_name: "Send it under this name too" };
const ABOUT = {
  waits: "It was begun before; what arrived is not sent again.",
  other_bytes: "The run has a file of this name with other bytes.",
  dismissed: "The run's file of this name was dismissed; that stays.",
  twice: "Another file of this name is on this page. It is compared once that one is sent.",
};
const SENT_STATES = new Set(["new", "waits", "other_bytes", "other_name", "failed"]);
const ENDS = new Set(["here", "sent", "dismissed"]);
const BROKEN = new Set(["unreadable", "failed"]);

/** @type {Set<Upload>} */
const uploads = new Set();
let busy = false;

/** @param {string} selector @returns {any} */
const part = (selector) => document.querySelector(`#put-in ${selector}`.trim());

/** @param {number} bytes */
function size(bytes) {
  const power = bytes ? Math.min(4, Math.floor(Math.log10(bytes) / 3)) : 0;
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power && value < 10 ? 1 : 0)} ${["B", "KB", "MB", "GB", "TB"][power]}`;
}

/** @returns {import("./sending.js").Place} */
const place = () => ({
  url: part("").dataset.url,
  partBytes: Number(part("").dataset.partBytes),
  token: part("[name=csrfmiddlewaretoken]").value,
  addresses: part("").dataset,
});

/** @param {Upload} upload */
const choice = (upload) => /** @type {HTMLSelectElement} */ (upload.row.querySelector("select"));

/** @param {Upload} upload */
const isLeft = (upload) => choice(upload).value === "leave";

const toSend = () => [...uploads].filter((one) => SENT_STATES.has(one.state) && !isLeft(one));

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
  const waiting = toSend();
  const ready = all.every(({ state }) => !["waiting", "sums"].includes(state));
  const isDone = ready && !busy && all.length > 0 && !waiting.length;
  part("#h-chosen").textContent = all.length === 1 ? "1 file" : `${all.length} files`;
  part("#whole").value = bytes ? sent / bytes : 1;
  part("#send").disabled = busy || !ready || !waiting.length;
  part("#send").lastChild.textContent = waiting.length && ready ? `Send ${waiting.length}` : "Send";
  part("#send").hidden = isDone;
  part("#done").hidden = !isDone;
  const said = `${size(bytes)}, ${size(sent)} here`;
  const missing = all.filter(({ state }) => !ENDS.has(state)).length;
  const end = missing ? `${all.length - missing} of ${all.length} are here.` : "All of them are here.";
  const doing = busy && !navigator.onLine ? "You are offline; it goes on by itself when the network is back." : said;
  const words = isDone ? end : ready ? doing : `${size(bytes)}, checksums are made`;
  if (part("#sum").textContent !== words) part("#sum").textContent = words;
}

/** @param {import("./dropped.js").Chosen} chosen */
function add({ file, path }) {
  const row = part("#put-in-row").content.cloneNode(true).firstElementChild;
  row.querySelector(".name").textContent = path;
  row.querySelector(".num").textContent = size(file.size);
  part(".uploads").append(row);
  /** @type {Upload} */
  const upload = { file, path, row, sha256: "", crc32: "", newVersion: false, state: "waiting", sent: 0 };
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
  if (broken) return [Object.assign(broken, { file, sha256: "" })];
  const isThere = same.some((one) => one.file.size === file.size && one.file.lastModified === file.lastModified);
  return isThere ? [] : [add({ file, path })];
}

/** @param {import("./dropped.js").Chosen[]} chosen */
export async function takeFiles(chosen) {
  part("#chosen").hidden = false;
  const added = within(chosen).flatMap(rowFor);
  for (const upload of added) await addSums(upload);
  await compareAll(added);
  tell();
  part("#send").focus();
}

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
  const queue = toSend();
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) await sendOne(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  busy = false;
  await compareAll([...uploads].filter((one) => one.state === "twice"));
  tell();
  (part("#done").hidden ? part("#send") : part("#done")).focus();
}

window.addEventListener("offline", tell);
window.addEventListener("online", tell);

export const isSending = () => busy;

document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("#put-in #send") && !busy) sendAll();
});
