// Sends files to the object store by signed URLs; large ones in parts, of which those are kept in mind that arrived.
import { currentToken } from "./csrf.js";
import { sumsOf, Unreadable } from "./sums.js";

/**
 * @typedef {{ file: File, path: string, sha256: string, crc32: string, newVersion: boolean }} Own
 * @typedef {(sent: number) => void} Tell
 * @typedef {{ file_id: number, already_uploaded: boolean, upload_type: string, upload_url: string,
 *   headers: Record<string, string>, upload_id: string, part_size: number, part_count: number }} Ticket
 * @typedef {{ sha256: string | null }} Stored what the service has for the file
 * @typedef {{ url: string, partBytes: number, token: string, addresses: DOMStringMap }} Place
 */
const TRIES = 4;
const SET_BY_BROWSERS = ["content-length", "host"];
const READ_BACK_SECONDS = 5;

/** @param {number} seconds */
const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));
/** Waits for the network, and begins to count anew. @returns {Promise<number>} */
const online = () => new Promise((done) => window.addEventListener("online", () => done(0), { once: true }));
const isReadable = (/** @type {Blob} */ blob) =>
  blob
    .slice(0, 1)
    .arrayBuffer()
    .then(Boolean, () => false); // a browser refuses a file that has changed

export class Refused extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** @param {Place} place @param {string} address @param {object} body @returns {Promise<any>} */
export async function ask(place, address, body) {
  const headers = { "Content-Type": "application/json", "X-CSRFToken": currentToken(place.token) };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(body) }).catch(() => null);
  if (!answer) throw new Refused("The service was not reached. It can be sent again.", 0);
  const isJson = answer.headers.get("Content-Type")?.includes("json");
  if (!isJson && answer.status >= 500)
    throw new Refused(`The service was not reached (${answer.status}). It can be sent again.`, answer.status);
  if (!isJson) throw new Refused("Your session has ended. Sign in in another tab, then send again.", 401);
  const said = await answer.json();
  if (!answer.ok) throw new Refused(said.error.message, answer.status);
  return said;
}

/** What the store says of a refusal; of a bucket it is a code. @param {XMLHttpRequest} request */
function wordsOf({ responseText, status }) {
  try {
    return `${JSON.parse(responseText).error.message} It can be sent again.`;
  } catch {
    const code = /<Code>(\w+)<\/Code>/.exec(responseText)?.[1];
    return `The store answered ${status}${code ? ` (${code})` : ""}.`;
  }
}

/**
 * The ETag that the store gives. XMLHttpRequest, because fetch does not tell how far it is.
 * @param {string} url @param {Record<string, string>} headers @param {Blob} blob @param {Tell} tell
 * @returns {Promise<string>}
 */
function put(url, headers, blob, tell) {
  const request = new XMLHttpRequest();
  request.open("PUT", url);
  for (const [name, value] of Object.entries(headers))
    if (!SET_BY_BROWSERS.includes(name.toLowerCase())) request.setRequestHeader(name, value);
  request.upload.addEventListener("progress", (event) => tell(event.loaded));
  return new Promise((resolve, reject) => {
    request.addEventListener("load", () => {
      if (request.status < 300) resolve(request.getResponseHeader("ETag") ?? "");
      else reject(new Refused(wordsOf(request), request.status));
    });
    request.addEventListener("error", async () => {
      const isThere = await isReadable(blob);
      reject(isThere ? new Refused("The store was not reached. It can be sent again.", 0) : new Unreadable());
    });
    request.send(blob);
  });
}

/**
 * What the network lost is tried again, once it is there; what is refused is not.
 * @template T @param {() => Promise<T>} act
 */
async function patiently(act) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (fault) {
      const isRefused = fault instanceof Refused && fault.status > 0 && fault.status < 500;
      if (isRefused || fault instanceof Unreadable || tries === TRIES) throw fault;
      if (navigator.onLine) await pause(2 ** tries / 2);
      else tries = await online();
    }
  }
}

/** @param {string} upload @returns {Record<number, string>} */
const arrived = (upload) => JSON.parse(localStorage.getItem(`upload ${upload}`) ?? "{}");

/** @param {string} upload @param {Record<number, string>} etags */
const keep = (upload, etags) => localStorage.setItem(`upload ${upload}`, JSON.stringify(etags));

/** @param {Place} place @param {Ticket} ticket @param {Own} own @param {number} number @param {Tell} tell */
async function sendPart(place, ticket, own, number, tell) {
  const start = (number - 1) * ticket.part_size;
  const blob = own.file.slice(start, start + ticket.part_size);
  const { crc32 } = await sumsOf(blob, place.addresses, null);
  const asked = { upload_id: ticket.upload_id, parts: [{ part_number: number, crc32 }] };
  const { parts } = await ask(place, `/files/${ticket.file_id}/put-in/parts`, asked);
  return put(parts[0].upload_url, parts[0].headers, blob, (sent) => tell(start + sent));
}

/** @param {Place} place @param {Ticket} ticket @param {Own} own @param {Tell} tell @returns {Promise<Stored>} */
async function sendParts(place, ticket, own, tell) {
  const etags = arrived(ticket.upload_id);
  for (let number = 1; number <= ticket.part_count; number += 1) {
    etags[number] ??= await patiently(() => sendPart(place, ticket, own, number, tell));
    keep(ticket.upload_id, etags);
    tell(Math.min(own.file.size, number * ticket.part_size));
  }
  const parts = Object.entries(etags).map(([number, etag]) => ({ part_number: Number(number), etag }));
  const asked = { upload_id: ticket.upload_id, parts };
  try {
    return await patiently(() => ask(place, `/files/${ticket.file_id}/put-in/complete`, asked));
  } finally {
    localStorage.removeItem(`upload ${ticket.upload_id}`); // where it was refused, the parts are sent again
  }
}

/** @param {Place} place @param {Own} own */
async function ticketFor(place, own) {
  const described = {
    filename: own.path.split("/").at(-1),
    relative_path: own.path,
    size_bytes: own.file.size,
    sha256: own.sha256,
    crc32: own.crc32,
    part_size: place.partBytes,
    new_version: own.newVersion,
    file_created_at: new Date(own.file.lastModified).toISOString(),
    ...(own.file.type ? { content_type: own.file.type } : {}),
  };
  const { results } = await ask(place, `${place.url}/tickets`, { files: [described] });
  if (results[0].status !== 200) throw new Refused(results[0].body.error.message, results[0].status);
  return /** @type {Ticket} */ (results[0].body);
}

/** @param {Place} place @param {number} fileId @returns {Promise<Stored>} */
async function confirm(place, fileId) {
  for (;;) {
    const { results } = await patiently(() => ask(place, `${place.url}/confirm`, { file_ids: [fileId] }));
    if (results[0].status === 200) return results[0].body;
    if (results[0].status !== 503) throw new Refused(results[0].body.error.message, results[0].status);
    await pause(READ_BACK_SECONDS); // the store compares no checksums: the service reads large files back first
  }
}

/** @param {Place} place @param {Ticket} ticket @param {Own} own @param {Tell} tell */
async function sendWhole(place, ticket, own, tell) {
  await patiently(() => put(ticket.upload_url, ticket.headers, own.file, tell)).catch((fault) => {
    if (fault.status !== 412) throw fault; // sent before, and the answer was lost
  });
  return confirm(place, ticket.file_id);
}

/**
 * Send one file, or find that its bytes are there. Raises Refused.
 * @param {Place} place @param {Own} own @param {Tell} tell
 */
export async function send(place, own, tell) {
  const ticket = await patiently(() => ticketFor(place, own));
  if (ticket.already_uploaded) return;
  const bring = ticket.upload_type === "multipart" ? sendParts : sendWhole;
  const { sha256 } = await bring(place, ticket, own, tell);
  if (sha256 && sha256 !== own.sha256)
    throw new Refused("Somebody else sent another file of this name meanwhile. Choose it again to keep both.", 409);
}
