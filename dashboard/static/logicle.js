// The logicle scale, as processing/formats/logicle.py has it, and its decades as ticks.

/** @typedef {{ t: number, w: number, m: number }} Logicle the top, the linear decades, all decades */
/** @typedef {import("./plot.js").Scale} Scale */
const STEPS = 60;
const TABLE = 1024;
const POWERS = ["⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"];

/** By halving. @param {number} low @param {number} high @param {(at: number) => boolean} isBelow */
function root(low, high, isBelow) {
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** What stands at a place from 0 to 1. @param {Logicle} scale @returns {(place: number) => number} */
export function valuesOf({ t, w, m }) {
  const b = m * Math.LN10;
  const x1 = w / m;
  const d = x1 > 0 ? root(1e-9, b, (at) => 2 * (Math.log(at) - Math.log(b)) + x1 * (at + b) < 0) : b;
  const ratio = Math.exp(2 * x1 * (b + d));
  const offset = Math.exp(b * x1) - ratio / Math.exp(d * x1);
  const a = t / (Math.exp(b) - offset - ratio / Math.exp(d));
  return (place) => {
    const distance = Math.max(place, 2 * x1 - place); // below nothing the scale is the mirror of what is above
    const value = a * (Math.exp(b * distance) - ratio * Math.exp(-d * distance) - offset);
    return place >= x1 ? value : -value;
  };
}

/** @param {number} power @param {number} sign */
const decade = (power, sign) => `${sign < 0 ? "−" : ""}10${POWERS[power] ?? `^${power}`}`;

/**
 * Zero, and the powers of ten that stand apart from it.
 * @param {(value: number) => number} place @param {Logicle} scale
 */
function ticksOf(place, { t }) {
  const ticks = /** @type {[number, string][]} */ ([[0, "0"]]);
  for (let power = 1; power <= Math.log10(t); power += 1) {
    for (const sign of [-1, 1]) {
      const value = sign * 10 ** power;
      if (place(value) >= 0 && Math.abs(place(value) - place(0)) > 0.06) ticks.push([value, decade(power, sign)]);
    }
  }
  return ticks.sort(([one], [other]) => one - other);
}

/** @param {Logicle} logicle @returns {Scale & { marks: [number, string][] }} */
export function logicleScale(logicle) {
  const value = valuesOf(logicle);
  const table = Float64Array.from({ length: TABLE + 1 }, (_, step) => value(step / TABLE));
  /** Between two values of the table, evenly. @param {number} at */
  const place = (at) => {
    let [low, high] = [0, TABLE];
    if (at <= table[0]) return at < table[0] ? -0.01 : 0;
    if (at > table[TABLE]) return 1.01;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (table[middle] < at) low = middle;
      else high = middle;
    }
    return (low + (at - table[low]) / (table[high] - table[low])) / TABLE;
  };
  /** @param {number} same */
  const as = (same) => same;
  const ends = { low: table[0], high: table[TABLE], log: false, to: as, from: as, turn: as };
  return { ...ends, place, value, marks: ticksOf(place, logicle) };
}
