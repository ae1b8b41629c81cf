// What was found in a curve: peaks by name at their apex with their bounds, thresholds as lines across.
const APART = 14; // pixels between two names
const LETTER = 6.5; // pixels, about

/** @typedef {import("./plot.js").Mark} Mark */
/** @typedef {import("./plot.js").Trace} Trace */
/** @typedef {import("./plot.js").Scale} Scale */
/** @typedef {typeof import("./plot.js")} Drawing */

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
function drawPeaks({ svg }, marks, traces, { x, y }, { width, height }) {
  const drawn = [];
  let last = -Infinity;
  for (const { label, at, bounds } of marks.map((mark) => ({ ...mark, at: mark.x ?? 0 })).sort((a, b) => a.at - b.at)) {
    const across = x.place(at);
    if (!isSeen(across)) continue;
    for (const end of (bounds ?? []).map(x.place).filter(isSeen)) {
      drawn.push(svg("path", { class: "bound", d: "M0 0v-6", transform: `translate(${end * width} ${height})` }));
    }
    if (Math.abs(across * width - last) < APART) continue;
    last = across * width;
    const tops = traces.map((trace) => 1 - y.place(heightAt(trace, at))).filter(Number.isFinite);
    const down = Math.max(Math.min(1, ...tops) * height - 8, label.length * LETTER);
    drawn.push(svg("text", { class: "mark", transform: `translate(${last + 4} ${down}) rotate(-90)` }, label));
  }
  return drawn;
}

/**
 * @param {Drawing} drawing @param {Mark[]} marks @param {Trace[]} traces @param {{ x: Scale, y: Scale }} scales
 * @param {DOMRect} box
 */
export function drawMarks(drawing, marks, traces, scales, box) {
  const peaks = traces.length ? marks.filter((mark) => mark.x !== undefined) : [];
  return [...drawThresholds(drawing, marks, scales.y), ...drawPeaks(drawing, peaks, traces, scales, box)];
}
