// Asks the worker for checksums.

/** @typedef {{ sha256: string, crc32: string }} Sums */
/**
 * @typedef {{ resolve: (sums: Sums) => void, reject: (fault: Error) => void, tell: (read: number) => void }} Waiting
 */

/** @type {Map<number, Waiting>} */
const waiting = new Map();
/** @type {Worker | null} */
let worker = null;
let asked = 0;

export class Unreadable extends Error {
  constructor() {
    super("The file could not be read: it was changed, moved or deleted since. Choose it again.");
  }
}

/** @param {MessageEvent} event */
function hear({ data }) {
  const one = waiting.get(data.number);
  if (!one) return;
  if (data.read !== undefined) return one.tell(data.read);
  waiting.delete(data.number);
  if (data.fault) one.reject(new Unreadable());
  else one.resolve(data);
}

/** @param {{ worker?: string }} from */
function start({ worker: address }) {
  const made = new Worker(address ?? "", { type: "module" });
  made.addEventListener("message", hear);
  return made;
}

/**
 * Of a whole file both, of a piece the CRC32 alone.
 * @param {Blob} blob @param {{ worker?: string, library?: string }} from addresses
 * @param {((read: number) => void) | null} tell how many bytes are read; null is a piece
 * @returns {Promise<Sums>}
 */
export function sumsOf(blob, from, tell) {
  worker ??= start(from);
  asked += 1;
  const number = asked;
  worker.postMessage({
    number,
    library: new URL(from.library ?? "", location.href).href,
    blob,
    isWhole: tell !== null,
  });
  return new Promise((resolve, reject) => waiting.set(number, { resolve, reject, tell: tell ?? (() => {}) }));
}
