// Files with their paths within a run, from what was dropped or chosen.

/** @typedef {{ file: File, path: string }} Chosen */

/** @param {FileSystemEntry} entry @returns {Promise<Chosen[]>} */
async function walk(entry) {
  if (entry.isFile) {
    const file = await new Promise((take, fail) => {
      /** @type {FileSystemFileEntry} */ (entry).file(take, fail);
    });
    return [{ file, path: entry.fullPath.replace(/^\//, "") }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((take, fail) => {
      reader.readEntries(take, fail);
    });
    if (!some.length) return (await Promise.all(found.map(walk))).flat();
    found.push(...some);
  }
}

/** The name of the folder that holds all of them, or nothing. @param {Chosen[]} chosen */
export function folderOf(chosen) {
  const tops = new Set(chosen.map(({ path }) => (path.includes("/") ? path.split("/")[0] : "")));
  return tops.size === 1 ? [...tops][0] : "";
}

/** Without the folder that holds all of them: that is the run. @param {Chosen[]} chosen @returns {Chosen[]} */
export function within(chosen) {
  const top = folderOf(chosen);
  return top ? chosen.map(({ file, path }) => ({ file, path: path.slice(top.length + 1) })) : chosen;
}

/** @param {DataTransfer} transfer @returns {Promise<Chosen[]>} */
export async function filesOfDrop(transfer) {
  const items = [...transfer.items].map((item) => ({ entry: item.webkitGetAsEntry(), file: item.getAsFile() }));
  const found = items.map(({ entry, file }) => {
    if (entry) return walk(entry);
    return file ? [{ file, path: file.name }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** @param {HTMLInputElement} input @returns {Chosen[]} */
export function filesOfInput(input) {
  return [...(input.files ?? [])].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
}

const TURNING = /[\u202a-\u202e\u2066-\u2069]/g; // wire/names.py refuses them

/** A name that is shown as it is spelt: controls that would turn it round are signs. @param {string} name */
export const spelt = (name) => name.replace(TURNING, "\ufffd");

/** Without them, to be offered. @param {string} name */
export const unturned = (name) => name.replace(TURNING, "");

/** In words, as everywhere: powers of a thousand. @param {number} bytes */
export function sizeOf(bytes) {
  const power = bytes ? Math.min(4, Math.floor(Math.log10(bytes) / 3)) : 0;
  const value = bytes / 1000 ** power;
  return `${value.toFixed(power && value < 10 ? 1 : 0)} ${["B", "KB", "MB", "GB", "TB"][power]}`;
}
