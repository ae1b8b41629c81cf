// CSV of what is shown, with all the numbers of the document. What would be a formula is text: wire/spreadsheets.py.

/**
 * @typedef {string | number | boolean | null | undefined} Cell
 * @typedef {{ name: string, title?: string, unit?: string | null }} Column
 * @typedef {{ format: "ids-table/1", title?: string, columns: Column[], rows: Cell[][], total_rows: number }} Table
 * @typedef {{ value: number | null, values?: (number | null)[], sample?: string, note?: string, role?: string }} Well
 * @typedef {{ label: string, unit?: string | null, values: (number | string)[] }} Steps
 * @typedef {object} Plate
 * @property {"ids-plate/1"} format
 * @property {number} rows
 * @property {number} columns
 * @property {string} quantity
 * @property {string | null} [unit]
 * @property {Record<string, Well>} wells
 * @property {Steps} [steps]
 * @typedef {import("./events.js").Channel} Channel
 * @typedef {import("./events.js").Events} Events
 * @typedef {import("./plot.js").Curve & { format: "ids-curve/1" }} Curve
 */
const FORMULA = /^[=+\-@\t\r\n]/;
const NUMBER = /^[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?$/;
const SAYS_NOTHING = ["", "(unitless)", "#"];

/** @param {Cell} value */
export function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return String(value);
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @param {Cell[][]} rows */
export const csv = (rows) => rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** @param {string} name @param {string | null} [unit] */
const titled = (name, unit) => (SAYS_NOTHING.includes(unit ?? "") ? name : `${name} (${unit})`);

/** One column for each trace where all share their abscissa, else a row for each point. @param {Curve} curve */
export function rowsOfCurve({ x, y, series }) {
  const [across, upward] = [titled(x.label, x.unit), titled(y.label, y.unit)];
  const [first] = series;
  const isShared = series.every((one) => one.x.length === first.x.length && one.x.every((at, n) => at === first.x[n]));
  if (isShared) {
    const names = series.map(({ label }) => (series.length > 1 && label ? label : upward));
    return [[across, ...names], ...first.x.map((at, place) => [at, ...series.map((one) => one.y[place])])];
  }
  const points = series.flatMap((one) => one.x.map((at, place) => [one.label, at, one.y[place]]));
  return [["Trace", across, upward], ...points];
}

/** A row for each well, and for each of its steps. @param {Plate} plate */
export function rowsOfPlate({ wells, quantity, unit, steps }) {
  const value = titled(quantity, unit);
  const known = Object.entries(wells);
  if (!steps)
    return [["Well", "Sample", value, "Note"], ...known.map(([well, one]) => [well, one.sample, one.value, one.note])];
  const rows = known.flatMap(([well, one]) =>
    steps.values.map((step, place) => [well, one.sample, step, one.values?.[place], one.note]),
  );
  return [["Well", "Sample", titled(steps.label, steps.unit), value, "Note"], ...rows];
}

/** @param {Table} table */
export const rowsOfTable = ({ columns, rows }) => [
  columns.map(({ name, title, unit }) => titled(title ?? name, unit)),
  ...rows,
];

/** 32-bit floats, the lowest byte first. @param {Channel} channel */
export function decodeChannel({ data }) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.codePointAt(0) ?? 0);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, place) => view.getFloat32(4 * place, true));
}

/** A row for each event. @param {Events} events */
export function rowsOfEvents({ channels, count }) {
  const values = channels.map(decodeChannel);
  const rows = Array.from({ length: count }, (_, event) => values.map((one) => Number(one[event].toPrecision(7))));
  return [channels.map(({ name }) => name), ...rows];
}

/** @param {Curve | Plate | Table | Events} document */
export function rowsOf(document) {
  if (document.format === "ids-events/1") return rowsOfEvents(document);
  if (document.format === "ids-curve/1") return rowsOfCurve(document);
  return document.format === "ids-plate/1" ? rowsOfPlate(document) : rowsOfTable(document);
}
