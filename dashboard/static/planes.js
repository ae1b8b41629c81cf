// Planes of a stack: tiles fetched, kept and put together in colours.

/**
 * @typedef {{ name: string, color: string, offset: number, scale: number, power: number, low: number,
 *   high: number }} Channel
 * @typedef {{ format: "ids-stack/1", width: number, height: number, reduced_by: number, tile_size: number,
 *   levels: number, depths: number, times: number, has_projection: boolean, is_inverted?: boolean,
 *   coding: "deflate" | "jpeg", code_bytes: 1 | 2, channels: Channel[], pixel_size_um: number | null,
 *   z_step_um: number | null, interval_s: number | null, offsets: number[], lengths: number[] }} Stack
 * @typedef {{ isShown: boolean, low: number, high: number, color: string }} Look
 */
/** @typedef {import("./tiles.js").Tile} Tile */
/** @type {typeof import("./tiles.js")} */
const { decode, field, meanOf, tableOf } = await import(
  /** @type {HTMLLinkElement} */ (document.getElementById("tiles-js")).href
);
const MAX_KEPT = 256; // of half a megabyte each
const MAX_SUMS = 64;
const MAX_SILENCE = 10_000; // ms, after which a tile counts as one that did not come
const PAUSES = [500, 2_000, 8_000]; // ms, before a tile that did not come is asked for again

/** All of its bytes; it is ended where none comes for too long. @param {string} address @returns {Promise<Response>} */
async function receive(address) {
  const ending = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;
  const hear = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => ending.abort(), MAX_SILENCE);
  };
  hear();
  try {
    const answer = await fetch(address, { signal: ending.signal });
    if (!answer.ok || !answer.body) return answer;
    const transform = (/** @type {Uint8Array} */ some, /** @type {TransformStreamDefaultController} */ to) => {
      hear();
      to.enqueue(some);
    };
    const heard = answer.body.pipeThrough(new TransformStream({ transform }));
    return new Response(await new Response(heard).blob());
  } finally {
    clearTimeout(waiting);
  }
}

/**
 * Again where the network or the service is away, silent, or too busy.
 * @param {string} address @param {number[]} pauses @returns {Promise<Response>}
 */
async function askFor(address, [pause, ...further] = PAUSES) {
  const answer = await receive(address).catch(() => null);
  if (answer?.ok) return answer;
  const isFinal = answer && answer.status < 500 && answer.status !== 429;
  if (isFinal || pause === undefined) throw new Error(answer ? `answered ${answer.status}` : "no answer");
  await new Promise((resolve) => setTimeout(resolve, pause));
  return askFor(address, further);
}

/** @param {Stack} stack */
function gridOf(stack) {
  const size = stack.tile_size;
  const levels = [];
  let [width, height, first] = [stack.width, stack.height, 0];
  for (let level = 0; level < stack.levels; level += 1) {
    const [columns, rows] = [Math.ceil(width / size), Math.ceil(height / size)];
    levels.push({ width, height, columns, first });
    first += columns * rows;
    [width, height] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  }
  return { levels, tiles: first };
}

export class Planes {
  /** @param {Stack} stack @param {string} address of the tiles */
  constructor(stack, address) {
    this.stack = stack;
    this.address = address;
    this.grid = gridOf(stack);
    /** @type {Map<number, Promise<Tile>>} */
    this.kept = new Map();
    /** @type {Map<number, Tile>} */
    this.ready = new Map();
    /** @type {Look[]} */
    this.looks = [];
    this.depth = 0;
    this.time = 0;
    this.isSum = false; // of all depths: kept as the mean, which has the range of a plane
    /** @type {Map<string, Promise<Tile>>} */
    this.sums = new Map();
    /** @type {Map<string, Tile>} */
    this.readySums = new Map();
  }

  /** @param {Look[]} looks */
  show(looks) {
    this.looks = looks;
    const codes = 256 ** this.stack.code_bytes;
    this.tables = looks.map((look) => tableOf(look, codes, Boolean(this.stack.is_inverted)));
  }

  /**
   * @param {number} level 0 is the largest
   * @param {number} column
   * @param {number} row
   * @param {number} channel
   */
  numberOf(level, column, row, channel, depth = this.depth) {
    const { depths, has_projection, channels } = this.stack;
    const plane = (this.time * (depths + Number(has_projection)) + depth) * channels.length + channel;
    const { first, columns } = this.grid.levels[level];
    return plane * this.grid.tiles + first + row * columns + column;
  }

  /** @param {number} level @param {number} column @param {number} row */
  sizeOf(level, column, row) {
    const { tile_size: size } = this.stack;
    const { width, height } = this.grid.levels[level];
    return [Math.min(size, width - column * size), Math.min(size, height - row * size)];
  }

  /** @param {number} number @param {number} width @param {number} height @returns {Promise<Tile>} */
  fetch(number, width, height) {
    const known = this.kept.get(number);
    if (known) {
      this.kept.delete(number);
      this.kept.set(number, known); // the last used is the last forgotten
      return known;
    }
    const coming = this.load(number, width, height);
    this.kept.set(number, coming);
    coming.then(
      (tile) => this.ready.set(number, tile),
      () => this.kept.delete(number),
    );
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MAX_KEPT) break;
      this.kept.delete(oldest);
      this.ready.delete(oldest);
    }
    return coming;
  }

  /** @param {number} number @param {number} width @param {number} height @returns {Promise<Tile>} */
  async load(number, width, height) {
    const { offsets, lengths } = this.stack;
    const answer = await askFor(`${this.address}/${offsets[number]}-${lengths[number]}`);
    return decode(answer, this.stack, width, height);
  }

  /**
   * One channel of the plane that is chosen, or of the sum of all depths.
   * @param {number} level
   * @param {number} column
   * @param {number} row
   * @param {number} channel
   */
  fetchChosen(level, column, row, channel) {
    const [width, height] = this.sizeOf(level, column, row);
    if (!this.isSum) return this.fetch(this.numberOf(level, column, row, channel), width, height);
    const key = this.keyOfSum(level, column, row, channel);
    const known = this.sums.get(key);
    if (known) return known;
    const depths = [...Array(this.stack.depths).keys()];
    const numbers = depths.map((depth) => this.numberOf(level, column, row, channel, depth));
    const coming = Promise.all(numbers.map((number) => this.fetch(number, width, height))).then((tiles) =>
      meanOf(tiles, this.stack.channels[channel].power),
    );
    this.sums.set(key, coming);
    coming.then(
      (tile) => this.readySums.set(key, tile),
      () => this.sums.delete(key),
    );
    for (const oldest of this.sums.keys()) {
      if (this.sums.size <= MAX_SUMS) break;
      this.sums.delete(oldest);
      this.readySums.delete(oldest);
    }
    return coming;
  }

  /** @param {number[]} place level, column, row, channel */
  keyOfSum(...place) {
    return [this.time, ...place].join("/");
  }

  /**
   * The shown channels of one tile, added to one another.
   * @param {number} level
   * @param {number} column
   * @param {number} row
   */
  async compose(level, column, row) {
    const [width, height] = this.sizeOf(level, column, row);
    const tables = this.tables ?? [];
    const shown = [...this.looks.keys()].filter((channel) => this.looks[channel].isShown);
    const tiles = await Promise.all(shown.map((channel) => this.fetchChosen(level, column, row, channel)));
    const context = field(width, height);
    const picture = context.createImageData(width, height);
    const pixels = picture.data; // clamped: what adds up to more than white is white
    for (const [place, { codes }] of tiles.entries()) {
      const [red, green, blue] = tables[shown[place]];
      for (let from = 0, to = 0; from < codes.length; from += 1, to += 4) {
        const code = codes[from];
        pixels[to] += red[code];
        pixels[to + 1] += green[code];
        pixels[to + 2] += blue[code];
      }
    }
    for (let place = 3; place < pixels.length; place += 4) pixels[place] = 255;
    context.putImageData(picture, 0, 0);
    return context;
  }

  /**
   * The number of the file in that place, as far as it is here; undefined where it is not.
   * @param {number} channel
   * @param {number} x
   * @param {number} y
   */
  valueAt(channel, x, y) {
    const size = this.stack.tile_size;
    for (const level of this.grid.levels.keys()) {
      const [across, down] = [Math.floor(x / 2 ** level), Math.floor(y / 2 ** level)];
      const [column, row] = [Math.floor(across / size), Math.floor(down / size)];
      const tile = this.isSum
        ? this.readySums.get(this.keyOfSum(level, column, row, channel))
        : this.ready.get(this.numberOf(level, column, row, channel));
      const code = tile?.codes[(down % size) * tile.width + (across % size)];
      if (code !== undefined) return { value: this.valueOf(channel, code), isExact: level === 0 };
    }
    return undefined;
  }

  /** @param {number} channel @param {number} code */
  valueOf(channel, code) {
    const { offset, scale, power } = this.stack.channels[channel];
    return (offset + scale * code ** power) * (this.isSum ? this.stack.depths : 1);
  }
}
