// What was found in a curve: peaks by name at their apex with their bounds, thresholds as lines across.
const APART = 14; // pixels between two names
const LETTER = 6.5; // pixels, about
const LINE = 14;
const LETTERS_APART = 5; // of bases side by side, which stand at different heights

/** @typedef {import("./plot.js").Mark} Mark */
/** @typedef {import("./plot.js").Trace} Trace */
/** @typedef {import("./plot.js").Scale} Scale */
/** @typedef {typeof import("./plot.js")} Drawing */

/** Pixels that the longest name of a peak takes above it; one letter lies. @param {Mark[]} marks */
export function roomOf(marks) {
  const names = marks.filter((mark) => mark.x !== undefined).map(({ label }) => label.length);
  const longest = Math.max(0, ...names);
  return longest > 1 ? longest * LETTER + 8 : longest * LINE;
}

/** @param {number} place */
const isSeen = (place) => place >= 0 && place <= 1;

/** The height of a trace at an abscissa. @param {Trace} trace @param {number} at */
function heightAt({ x, y }, at) {
  let best = -1;
  for (const [place, one] of x.entries()) {
    if (y[place] !== null && (best < 0 || Math.abs(one - at) < Math.abs(x[best] - at))) best = place;
  }
  return best < 0 ? 0 : (y[best] ?? 0);
}

/** @param {Drawing} drawing @param {Mark[]} marks @param {Scale} y */
function drawThresholds({ svg, percent }, marks, y) {
  return marks.flatMap(({ label, x, y: height = 0 }) => {
    if (x !== undefined || (y.log && height <= 0) || !isSeen(y.place(height))) return [];
    const at = percent(1 - y.place(height));
    const line = svg("line", { class: "threshold", x1: 0, x2: "100%", y1: at, y2: at });
    return [line, svg("text", { class: "mark", x: 6, y: at, dy: -5 }, label)];
  });
}

/**
 * Names stand upright above their peak; of two that would touch, the first.
 * @param {Drawing} drawing @param {Mark[]} marks @param {Trace[]} traces @param {{ x: Scale, y: Scale }} scales
 * @param {DOMRect} box
 */
function drawPeaks({ svg, percent }, marks, traces, { x, y }, { width, height }) {
  /** In shares of the field: paper has another size. @param {string} left @param {string} top @param {Node} one */
  const placed = (left, top, one) => svg("svg", { x: left, y: top, overflow: "visible" }, one);
  const drawn = [];
  let last = -Infinity;
  for (const { label, at, bounds } of marks.map((mark) => ({ ...mark, at: mark.x ?? 0 })).sort((a, b) => a.at - b.at)) {
    const across = x.place(at);
    if (!isSeen(across)) continue;
    for (const end of (bounds ?? []).map(x.place).filter(isSeen)) {
      drawn.push(placed(percent(end), "100%", svg("path", { class: "bound", d: "M0 0v-6" })));
    }
    const isLetter = label.length === 1;
    if (Math.abs(across * width - last) < (isLetter ? LETTERS_APART : APART)) continue;
    last = across * width;
    const tops = traces.map((trace) => 1 - y.place(heightAt(trace, at))).filter(Number.isFinite);
    const down = Math.max(Math.min(1, ...tops) * height, label.length * LETTER + 8);
    /** @type {Record<string, string | number>} */
    const lies = isLetter ? { dy: -4, "text-anchor": "middle" } : { transform: "translate(4 -8) rotate(-90)" };
    drawn.push(placed(percent(across), percent(down / height), svg("text", { class: "mark", ...lies }, label)));
  }
  return drawn;
}

/**
 * What lies between two traces, where both are shown.
 * @param {Drawing} drawing @param {[string, string][]} bands @param {Trace[]} traces @param {Scales} scales
 */
function drawBands({ svg }, bands, traces, { x, y }) {
  const field = { width: "100%", height: "100%", viewBox: "0 0 1000 1000", preserveAspectRatio: "none" };
  const paths = bands.flatMap((names) => {
    const [low, high] = names.map((name) => traces.find((one) => one.name === name));
    if (!low || !high) return [];
    const places = [high, low].map((one) =>
      one.x.map(
        (at, place) => `${(x.place(at) * 1000).toFixed(1)} ${((1 - y.place(one.y[place] ?? 0)) * 1000).toFixed(1)}`,
      ),
    );
    return [
      svg("path", { class: `band ${low.style}`, d: `M${places[0].join("L")}L${places[1].reverse().join("L")}z` }),
    ];
  });
  return paths.length ? [svg("svg", { class: "traces", ...field }, ...paths)] : [];
}

/**
 * @typedef {{ x: Scale, y: Scale, data?: import("./plot.js").Curve }} Scales
 * @param {Drawing} drawing @param {Mark[]} marks @param {Trace[]} traces @param {Scales} scales
 * @param {DOMRect} box
 */
export function drawMarks(drawing, marks, traces, scales, box) {
  const peaks = traces.length ? marks.filter((mark) => mark.x !== undefined) : [];
  return [
    ...drawBands(drawing, scales.data?.bands ?? [], traces, scales),
    ...drawThresholds(drawing, marks, scales.y),
    ...drawPeaks(drawing, peaks, traces, scales, box),
  ];
}
