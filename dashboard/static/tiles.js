// One tile: its bytes decoded into codes, the mean of several, and the colours that codes stand for.

/** @typedef {import("./planes.js").Look} Look */
/** @typedef {{ width: number, height: number, codes: Uint8Array | Uint16Array }} Tile */

/** @param {Response} answer */
async function inflate(answer) {
  const plain = /** @type {ReadableStream} */ (answer.body).pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** @param {Uint8Array} bytes the low bytes of all pixels, then the high ones */
function joinBytes(bytes) {
  const count = bytes.length / 2;
  const codes = new Uint16Array(count);
  for (let place = 0; place < count; place += 1) codes[place] = bytes[place] | (bytes[count + place] << 8);
  return codes;
}

/** @param {number} width @param {number} height */
export function field(width, height) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width, height];
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { willReadFrequently: true }));
}

/** @param {Response} answer @param {number} width @param {number} height */
async function decodeJpeg(answer, width, height) {
  const picture = await createImageBitmap(await answer.blob(), { colorSpaceConversion: "none" });
  const context = field(width, height);
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return Uint8Array.from({ length: width * height }, (_, place) => data[place * 4]);
}

/** @param {string} color "#58a6ff" */
const partsOf = (color) => [1, 3, 5].map((place) => Number.parseInt(color.slice(place, place + 2), 16));

/**
 * For each code what it adds to red, green and blue.
 * @param {Look} look
 * @param {number} codes
 * @param {boolean} isInverted
 */
export function tableOf(look, codes, isInverted) {
  const span = Math.max(look.high - look.low, 1e-9);
  return partsOf(look.color).map((part) => {
    const table = new Uint8Array(codes);
    for (let code = 0; code < codes; code += 1) {
      const share = Math.min(1, Math.max(0, (code - look.low) / span));
      table[code] = Math.round((isInverted ? 1 - share : share) * part);
    }
    return table;
  });
}

/**
 * The mean of tiles in what their codes stand for, as a code.
 * @param {Tile[]} tiles
 * @param {number} power
 * @returns {Tile}
 */
export function meanOf(tiles, power) {
  const { width, height, codes } = tiles[0];
  const sums = new Float64Array(codes.length);
  for (const tile of tiles)
    for (let place = 0; place < sums.length; place += 1) sums[place] += tile.codes[place] ** power;
  const means = codes.slice();
  for (let place = 0; place < sums.length; place += 1)
    means[place] = Math.round((sums[place] / tiles.length) ** (1 / power));
  return { width, height, codes: means };
}

/**
 * The codes of a tile as the stack's coding wrote them.
 * @param {Response} answer
 * @param {{ coding: "deflate" | "jpeg", code_bytes: 1 | 2 }} stack
 * @param {number} width
 * @param {number} height
 * @returns {Promise<Tile>}
 */
export async function decode(answer, { coding, code_bytes: codeBytes }, width, height) {
  if (coding === "jpeg") return { width, height, codes: await decodeJpeg(answer, width, height) };
  const bytes = await inflate(answer);
  return { width, height, codes: codeBytes === 2 ? joinBytes(bytes) : bytes };
}
