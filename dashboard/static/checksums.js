// A worker: SHA-256 and CRC32 of a file or of a piece of it, block by block, so that no file is held in memory.
const BLOCK = 4 * 1024 * 1024;
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? 0xedb88320 ^ (rest >>> 1) : rest >>> 1;
  return rest;
});

/** @typedef {{ number: number, library: string, blob: Blob, isWhole: boolean }} Task */

/** @param {number} register inverted, as it is while bytes come @param {Uint8Array} bytes */
function addCrc(register, bytes) {
  let rest = register;
  for (let place = 0; place < bytes.length; place += 1) rest = TABLE[(rest ^ bytes[place]) & 255] ^ (rest >>> 8);
  return rest;
}

/** @param {Uint8Array} bytes */
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {Task} task */
async function sum({ number, library, blob, isWhole }) {
  const digest = isWhole ? (await import(library)).sha256.create() : null;
  let register = -1;
  for (let start = 0; start < blob.size; start += BLOCK) {
    const bytes = new Uint8Array(await blob.slice(start, start + BLOCK).arrayBuffer());
    digest?.update(bytes);
    register = addCrc(register, bytes);
    if (isWhole) postMessage({ number, read: Math.min(start + BLOCK, blob.size) });
  }
  const crc32 = (~register >>> 0).toString(16).padStart(8, "0");
  postMessage({ number, crc32, sha256: digest ? hex(digest.digest()) : "" });
}

/** One after the other: two files read at once only make the disk jump. */
let last = Promise.resolve();

addEventListener("message", ({ data }) => {
  last = last.then(() => sum(data)).catch((fault) => postMessage({ number: data.number, fault: String(fault) }));
});
