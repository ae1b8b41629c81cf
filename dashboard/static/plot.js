// The markup of a curve: scales, ticks, traces. The server draws the same without script (files/drawing/curve.py).
const FIELD = 1000;
const STYLES = 6;
const BASES = "ACGT";
const MAX_DOTS = 100;
const SAYS_NOTHING = ["(unitless)", "#"];

/**
 * What the server sends of a curve, and what is made of it. Bands lie between the traces that they name.
 * @typedef {{ marks?: Mark[], aspect?: string, bands?: [string, string][] }} Extras
 * @typedef {[number, number]} Span
 * @typedef {{ label: string, unit?: string | null, log?: boolean, reversed?: boolean, whole?: boolean,
 *   title?: string }} Axis
 * @typedef {{ label?: string | null, x: number[], y: (number | null)[], hidden?: boolean }} Series
 * @typedef {{ label: string, x?: number, y?: number, bounds?: Span, area?: number }} Mark a peak or a threshold
 * @typedef {{ style: string, x: Axis, y: Axis, series: Series[] } & Extras} Curve
 * @typedef {{ name: string, style: string, x: number[], y: (number | null)[], order: number, isShown: boolean }} Trace
 * @typedef {{ marks?: [number, string][], whole?: boolean }} Ticks `marks`: of its own, `whole`: of whole numbers
 * @typedef {Omit<ReturnType<typeof scale>, "whole"> & Ticks} Scale
 * @typedef {{ traces: Trace[], view: Span, x: Scale, y: Scale, data: Curve, band: Node }} Drawn
 */

/**
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} inside
 */
export function svg(name, attributes, ...inside) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...inside);
  return made;
}

/** @param {number} share */
export const percent = (share) => `${(share * 100).toFixed(2)}%`;
export const unitOf = (/** @type {Axis} */ { unit }) => (!unit || SAYS_NOTHING.includes(unit) ? "" : unit);
const titleOf = (/** @type {Axis} */ axis) => axis.title ?? axis.label; // the server writes units
/** @param {number} value */
const isPlain = (value) => !value || (Math.abs(value) >= 1e-4 && Math.abs(value) < 1e6);
/** @param {number} value @param {number} [digits] */
const power = (value, digits) => value.toExponential(digits).replace("e+", "e");
/** @param {number} value */
const digit = (value) => Math.floor(Math.log10(Math.abs(value)) + 1e-9);

/** @param {number} value */
export function exact(value) {
  return isPlain(value)
    ? value.toLocaleString("en", { maximumSignificantDigits: 7 })
    : power(Number(value.toPrecision(7)));
}

/**
 * As many digits as tell a tick from its neighbours; `step` 0 where they are far apart.
 * @param {number} value @param {number} step
 */
function label(value, step) {
  if (!value || Math.abs(value) < Math.abs(step) * 1e-6) return "0";
  if (!isPlain(value)) return power(value, step ? Math.max(0, Math.min(4, digit(value) - digit(step))) : 0);
  if (!step) return exact(value);
  const decimals = Math.min(9, Math.max(0, -digit(step)));
  return (value + 0).toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/**
 * What an axis shows from `low` to `high`, and where a value stands in it (0 to 1).
 * @param {Span} ends @param {Pick<Axis, "log" | "reversed" | "whole">} axis
 */
export function scale([low, high], { log, reversed, whole }) {
  /** @param {number} value */
  const to = (value) => (log ? Math.log10(value) : value);
  /** @param {number} value */
  const from = (value) => (log ? 10 ** value : value);
  /** @param {number} share */
  const turn = (share) => (reversed ? 1 - share : share);
  const [a, b] = [to(low), to(high)];
  /** @param {number} value */
  const place = (value) => turn((to(value) - a) / (b - a));
  /** @param {number} share */
  const value = (share) => from(a + turn(share) * (b - a));
  return { low, high, log, whole, to, from, turn, place, value };
}

/** @param {Scale} axis @param {number} about @returns {[number, string][]} */
export function ticks(axis, about) {
  if (axis.marks) return axis.marks;
  if (axis.log) return decades(axis).map((value) => [value, label(value, 0)]);
  const rough = Math.max((axis.high - axis.low) / about, axis.whole ? 1 : 0);
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = ten * ([1, 2, 5, 10].find((factor) => ten * factor >= rough * 0.999) ?? NaN);
  const first = Math.ceil(axis.low / step - 1e-9);
  const count = Math.max(0, Math.floor(axis.high / step + 1e-6) - first + 1);
  return Array.from({ length: count }, (_, number) => (first + number) * step).map((value) => [
    value,
    label(value, step),
  ]);
}

/** @param {Scale} axis */
function decades({ low, high }) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const factors = last - first <= 2 || high <= low * 100 ? [1, 2, 5] : [1];
  const found = Array.from({ length: last - first + 1 }, (_, number) =>
    factors.map((factor) => factor * 10 ** (first + number)),
  ).flat();
  const every = Math.max(1, Math.floor(found.length / 10));
  return found.filter((value, number) => number % every === 0 && value >= low && value <= high);
}

/** @param {number} low @param {number} high @returns {Span} */
export const widened = (low, high) =>
  high > low ? [low, high] : [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];

/** The bases of a sequencer have the colours that everybody gives them. @param {Series[]} all @param {number} number */
const styleOf = (all, number) =>
  all.length === 4 && all.every(({ label }) => BASES.includes(label ?? "-"))
    ? `base-${all[number].label?.toLowerCase()}`
    : `s${(number % STYLES) + 1}`;

/**
 * What has no place on a logarithmic axis is left out, or a gap. `order`: 1 rising, -1 falling, 0 neither.
 * @param {Series} series @param {number} number @param {Curve} axes @returns {Trace}
 */
export function traceOf(series, number, { style, x, y, series: all }) {
  const places = [...series.x.keys()].filter((place) => series.x[place] > 0 || !x.log);
  const xs = places.map((place) => series.x[place]);
  /** @param {number | null} height */
  const shown = (height) => (height === null || (y.log && height <= 0) ? null : height);
  /** @param {(at: number, before: number) => boolean} isNext */
  const goes = (isNext) => xs.every((at, place) => !place || isNext(at, xs[place - 1]));
  return {
    name: series.label || `Trace ${number + 1}`,
    style: style === "contours" ? "contour" : styleOf(all, number),
    x: xs,
    y: places.map((place) => shown(series.y[place])),
    order: goes((at, before) => at >= before) ? 1 : goes((at, before) => at <= before) ? -1 : 0,
    isShown: !series.hidden || all.every(({ hidden }) => hidden),
  };
}

/** @template Value @param {Value[]} values @param {(value: Value) => boolean} isSo */
function firstWhere(values, isSo) {
  let [from, to] = [0, values.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isSo(values[middle])) to = middle;
    else from = middle + 1;
  }
  return from;
}

/**
 * The places of a trace from one abscissa to another, and a neighbour on each side; all where they are in no order.
 * @param {Trace} trace @param {number} low @param {number} high @returns {Span}
 */
export function within({ x, order }, low, high) {
  if (!order) return [0, x.length];
  /** @param {number} at */
  const isIn = (at) => (order > 0 ? at >= low : at <= high);
  /** @param {number} at */
  const isOut = (at) => (order > 0 ? at > high : at < low);
  return [Math.max(0, firstWhere(x, isIn) - 1), Math.min(x.length, firstWhere(x, isOut) + 1)];
}

/**
 * The range of what stands between two abscissae, with some air, or from zero where that is near or meant.
 * @param {Trace[]} traces @param {Span} between @param {Axis} axis @param {boolean} fromZero
 * @param {number} [least] @param {number} [most] what is to be seen in any case @returns {Span}
 */
export function heightsOf(traces, [left, right], { log, reversed }, fromZero, least = Infinity, most = -Infinity) {
  let [low, high] = [least, most];
  for (const trace of traces) {
    const [from, to] = within(trace, left, right);
    for (let place = from; place < to; place += 1) {
      const height = trace.y[place];
      if (height === null || trace.x[place] < left || trace.x[place] > right) continue;
      low = Math.min(low, height);
      high = Math.max(high, height);
    }
  }
  if (low > high) return log ? [1, 10] : [0, 1];
  if (log) return [low / 1.3, high * 1.3];
  [low, high] = fromZero ? widened(Math.min(low, 0), Math.max(high, 0)) : widened(low, high);
  const air = (high - low) / 20;
  return [low >= 0 && low < high / 3 && !reversed ? 0 : low - air, high + air];
}

/** @param {Trace} trace @param {Span} view @param {Scale} x @param {Scale} y
 * @param {string} style line, sticks, or dots: strokes without length, which round ends make points */
function pathOf(trace, view, x, y, style) {
  const base = ((1 - y.place(y.log ? y.low : Math.max(y.low, 0))) * FIELD).toFixed(1);
  const [from, to] = within(trace, ...view);
  const pieces = [];
  if (style === "dots" && to - from > MAX_DOTS) return "";
  const isSeen = (/** @type {number} */ at) => style !== "dots" || (at >= view[0] && at <= view[1]);
  for (let place = from, isDrawing = false; place < to; place += 1) {
    const height = isSeen(trace.x[place]) ? trace.y[place] : null;
    const isAlone = !isDrawing && (place + 1 >= to || trace.y[place + 1] === null);
    if (height !== null) {
      const [left, top] = [(x.place(trace.x[place]) * FIELD).toFixed(1), ((1 - y.place(height)) * FIELD).toFixed(1)];
      if (style === "sticks") pieces.push(`M${left} ${base}V${top}`);
      else if (style === "dots") pieces.push(`M${left} ${top}h0`);
      else pieces.push(`${isDrawing ? "L" : "M"}${left} ${top}${isAlone ? "h2" : ""}`);
    }
    isDrawing = height !== null;
  }
  return pieces.join("");
}

/**
 * Everything within the SVG but the reading point; `band` is what is being picked.
 * @param {Drawn} drawn
 */
export function drawing({ traces, view, x, y, data, band }) {
  /** @typedef {Record<string, string | number>} Attributes */
  /** @param {string} minor @param {Attributes} ends */
  const grid = (minor, ends) => svg("line", { class: `grid${minor}`, ...ends });
  /** @param {string} kind @param {Attributes} place @param {string} said */
  const text = (kind, place, said) => svg("text", { class: kind, ...place }, said);
  const upward = ticks(y, 5).flatMap(([value, said], number) => {
    const [minor, at] = [number % 2 ? " minor" : "", percent(1 - y.place(value))];
    return [
      grid(minor, { x1: 0, x2: "100%", y1: at, y2: at }),
      text(`tick${minor}`, { x: 0, dx: -10, y: at, dy: 4, "text-anchor": "end" }, said),
    ];
  });
  const across = ticks(x, 8).flatMap(([value, said], number) => {
    const [minor, at] = [number % 2 ? " minor" : "", percent(x.place(value))];
    return [
      grid(minor, { x1: at, x2: at, y1: 0, y2: "100%" }),
      text(`tick${minor}`, { x: at, y: "100%", dy: 18, "text-anchor": "middle" }, said),
    ];
  });
  const hasDots = !["sticks", "contours"].includes(data.style);
  /** @param {string} kind @param {string} style */
  const paths = (kind, style) =>
    traces.map((trace) => svg("path", { class: `${kind} ${trace.style}`, d: pathOf(trace, view, x, y, style) }));
  const whole = { width: "100%", height: "100%", viewBox: `0 0 ${FIELD} ${FIELD}`, preserveAspectRatio: "none" };
  return [
    text("unit", { x: 0, y: 0, dx: -10, dy: -16 }, titleOf(data.y)),
    ...upward,
    svg("line", { class: "axis", x1: 0, x2: "100%", y1: "100%", y2: "100%" }),
    ...across,
    text("unit", { x: "100%", y: "100%", dy: 38, "text-anchor": "end" }, titleOf(data.x)),
    svg("svg", { class: "traces", ...whole }, ...paths("trace", data.style), band),
    ...(hasDots ? [svg("svg", { class: "points", ...whole }, ...paths("dots", "dots"))] : []),
  ];
}
