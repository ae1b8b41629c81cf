// Curves to work with: a read-out with units, a view that can be narrowed, a legend that switches traces.

/** @typedef {import("./plot.js").Trace} Trace */
/** @typedef {import("./plot.js").Span} Span */
/** @typedef {{ trace: Trace, place: number }} At */

/** @param {string} id the link that carries a module's address with the hash of its content */
const moduleOf = (id) => import(/** @type {HTMLLinkElement} */ (document.getElementById(id)).href);
/** @type {typeof import("./plot.js")} */
const plotting = await moduleOf("plot-js");
const { drawing, exact, heightsOf, percent, scale, svg, ticks, traceOf, unitOf, widened, within } = plotting;
/** @type {typeof import("./gestures.js")} */
const { hasten, listen } = await moduleOf("gestures-js");
/** @type {typeof import("./marks.js")} */
const { drawMarks, roomOf } = await moduleOf("marks-js");
/** @type {typeof import("./scales.js")} */
const { equalHeights, equalWidth, offerScales } = await moduleOf("scales-js");
const FIELD = 1000;
const [MIN_TICK, MAX_TICK] = [5, 14]; // characters: static/css/ticks.css
const CLOSEST = 1e-7;
const AIR = 0.04; // as in files/drawing/curve.py

export class Plot {
  /** @type {At | null} */
  at = null;
  frame = 0;

  /** @param {HTMLElement} root @param {import("./plot.js").Curve} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    const { xTitle, yTitle, xUnit, yUnit } = root.dataset; // as the server writes them
    Object.assign(data.x, { title: xTitle, unit: xUnit });
    Object.assign(data.y, { title: yTitle, unit: yUnit });
    this.figure = root.closest("figure") ?? root;
    this.field = /** @type {SVGSVGElement} */ (root.querySelector("svg.field-of-view"));
    this.marks = data.marks ?? [];
    this.traces = data.series.map((series, number) => traceOf(series, number, data));
    this.full = this.view = this.range();
    this.reading = this.figure.querySelector(".reading");
    this.said = this.reading?.textContent ?? "";
    this.band = svg("rect", { class: "under", y: 0, height: FIELD, width: 0 });
    this.mark = svg("g", {});
    this.reach = data.style === "sticks" ? 8 : 1.5; // pixels beside the pointer in which a point is looked for
    this.x = this.across();
    this.y = this.upward();
    this.showLegend();
    this.draw();
    listen(this);
    offerScales(this);
  }

  /** The same numbers on other scales. */
  rebuild() {
    this.traces = this.data.series.map((series, number) => traceOf(series, number, this.data));
    this.full = this.view = this.range();
    this.at = null;
    this.showLegend();
    this.draw();
  }

  /** From the least to the greatest abscissa. @returns {Span} */
  range() {
    const lows = this.traces.map(({ x }) => x.reduce((a, b) => Math.min(a, b), Infinity));
    const highs = this.traces.map(({ x }) => x.reduce((a, b) => Math.max(a, b), -Infinity));
    const full = widened(Math.min(...lows, ...highs), Math.max(...lows, ...highs));
    if (!full.every(Number.isFinite)) throw new Error("no points");
    if (this.data.style === "contours") return this.withAir(full);
    return this.data.aspect === "equal" ? equalWidth(full, heightsOf(this.traces, full, this.data.y, false)) : full;
  }

  /** Lines of equal height may lie at the very end. @param {Span} full @returns {Span} */
  withAir([low, high]) {
    const air = this.data.x.log ? 0 : (high - low) * AIR;
    return [low - air, high + air];
  }

  shown() {
    return this.traces.filter(({ isShown }) => isShown);
  }

  across() {
    return scale(this.view, this.data.x);
  }

  upward() {
    const { y, style, aspect } = this.data;
    const lines = this.marks.filter((mark) => mark.x === undefined).map((mark) => mark.y ?? 0);
    const lowest = Math.min(...lines.filter((height) => height > 0 || !y.log));
    const heights = heightsOf(this.shown(), this.view, y, style === "sticks", lowest, Math.max(...lines));
    heights[1] += y.log || y.reversed ? 0 : (heights[1] - heights[0]) * this.room();
    return scale(aspect === "equal" ? equalHeights(heights, this.view) : heights, y);
  }

  /** What the names of peaks need above them, as a share of the heights. */
  room() {
    const { height } = this.field.getBoundingClientRect();
    const share = roomOf(this.marks) / (height || Infinity);
    return share / (1 - Math.min(share, 0.5));
  }

  draw() {
    this.x = this.across();
    this.y = this.upward();
    this.makeRoom();
    this.mark = svg("g", {});
    const marks = drawMarks(plotting, this.marks, this.shown(), this, this.field.getBoundingClientRect());
    this.field.querySelector("g")?.replaceChildren(...drawing({ ...this, traces: this.shown() }), ...marks, this.mark);
    for (const one of this.wholes()) one.hidden = this.view === this.full;
    this.point(this.at);
  }

  /** Beside the ordinate, for the longest number so far: a field that goes to and fro could not be read. */
  makeRoom() {
    const longest = Math.max(...ticks(this.y, 5).map(([, said]) => said.length));
    const known = Number(this.root.dataset.ticks ?? MIN_TICK);
    if (longest > known) this.root.dataset.ticks = String(Math.min(MAX_TICK, longest));
  }

  /** Buttons that show everything again. @returns {NodeListOf<HTMLElement>} */
  wholes() {
    return this.figure.querySelectorAll("[data-whole]");
  }

  /**
   * Show from one abscissa to another; never more than there is, and never closer than numbers can tell.
   * @param {number} from @param {number} to
   */
  show(from, to) {
    const [low, high] = [Math.max(Math.min(from, to), this.full[0]), Math.min(Math.max(from, to), this.full[1])];
    if (!(high - low > (this.full[1] - this.full[0]) * CLOSEST)) return;
    /** @type {Span} */
    const view = [low, high];
    this.view = low === this.full[0] && high === this.full[1] ? this.full : view;
    hasten(this);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  /** @param {number} factor @param {number} share */
  zoom(factor, share) {
    this.show(this.x.value(share - share * factor), this.x.value(share + (1 - share) * factor));
  }

  /**
   * The point of a shown trace that is nearest to a place of the field, in pixels.
   * @param {number} across @param {number} down @param {DOMRect} box
   */
  nearest(across, down, { width, height }) {
    /** @type {At | null} */
    let best = null;
    let least = Infinity;
    for (const trace of this.shown()) {
      const reach = (this.reach * (this.view[1] - this.view[0])) / width;
      const at = this.x.value(across);
      const [from, to] = this.x.log ? within(trace, ...this.view) : within(trace, at - reach, at + reach);
      for (let place = from; place < to; place += 1) {
        const [x, y] = [trace.x[place], trace.y[place]];
        if (y === null || x < this.view[0] || x > this.view[1]) continue;
        const [dx, dy] = [(this.x.place(x) - across) * width, (1 - this.y.place(y) - down) * height];
        const away = dx * dx * 9 + dy * dy; // sideways counts more: people look for what is above or below
        if (away < least) [best, least] = [{ trace, place }, away];
      }
    }
    return best;
  }

  /** Put the reading point somewhere and say what is there; nowhere without one. @param {At | null} at */
  point(at) {
    this.at = at?.trace.isShown ? at : null;
    this.mark.replaceChildren();
    if (this.reading) this.reading.textContent = this.said;
    if (!this.at) return;
    const { trace, place } = this.at;
    const [x, y] = [trace.x[place], trace.y[place] ?? 0];
    const [across, down] = [this.x.place(x), 1 - this.y.place(y)];
    if (across < -1e-9 || across > 1 + 1e-9) return;
    const height = document.createElement("b");
    height.textContent = exact(y);
    const where = ` ${unitOf(this.data.y)} at ${exact(x)} ${unitOf(this.data.x)}`.replace(/ +/g, " ").trimEnd();
    this.reading?.replaceChildren(height, where + (this.traces.length > 1 ? `, ${trace.name}` : ""));
    this.showTip(`${exact(y)} ${unitOf(this.data.y)}`.trim(), trace.style, across, down);
  }

  /** @param {string} said @param {string} style @param {number} across @param {number} down */
  showTip(said, style, across, down) {
    const [x, y] = [percent(across), percent(down)];
    const tip = svg("text", { class: "tip", x, y, dy: -14 }, said);
    const box = svg("rect", { class: "tip-box", rx: 4, height: 20, y, transform: "translate(0 -28)" });
    const cross = svg("line", { class: "cross", x1: x, x2: x, y1: 0, y2: "100%" });
    this.mark.append(cross, svg("circle", { class: `point ${style}`, cx: x, cy: y, r: 4 }), box, tip);
    const { width } = this.field.getBoundingClientRect();
    const long = tip.getComputedTextLength() + 12;
    const left = Math.max(-40, Math.min(across * width - long / 2, width - long));
    box.setAttribute("x", String(left));
    box.setAttribute("width", String(long));
    tip.setAttribute("x", String(left + 6));
  }

  showLegend() {
    const legend = this.figure.querySelector(".legend");
    /** @type {HTMLButtonElement[]} */
    const switches = this.traces.map((trace) => {
      const line = svg("path", { class: `trace ${trace.style}`, d: "M0 6h20" });
      const key = svg("svg", { class: "key", viewBox: "0 0 20 12", "aria-hidden": "true" }, line);
      const button = document.createElement("button");
      [button.type, button.title] = ["button", "Show or hide; with Shift, show this one only"];
      button.append(key, trace.name);
      button.addEventListener("click", ({ shiftKey }) => this.toggle(trace, shiftKey, switches));
      button.setAttribute("aria-pressed", String(trace.isShown));
      return button;
    });
    legend?.replaceChildren(...switches);
  }

  /** @param {Trace} trace @param {boolean} isAlone @param {HTMLButtonElement[]} switches */
  toggle(trace, isAlone, switches) {
    const wasAlone = this.traces.every((one) => one.isShown === (one === trace));
    if (isAlone) for (const one of this.traces) one.isShown = wasAlone || one === trace;
    else trace.isShown = !trace.isShown;
    for (const [number, button] of switches.entries()) {
      button.setAttribute("aria-pressed", String(this.traces[number].isShown));
    }
    this.draw();
  }
}

/** @param {HTMLElement} root */
async function start(root) {
  root.dataset.state = "loading";
  try {
    const answer = await fetch(root.dataset.curve ?? "", { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    new Plot(root, await answer.json());
    root.dataset.state = "ready";
  } catch {
    root.dataset.state = "as drawn"; // by the server, which stays
  }
}

function startAll() {
  /** @type {NodeListOf<HTMLElement>} */
  const plots = document.querySelectorAll(".plot[data-curve]:not([data-state])");
  for (const plot of plots) start(plot);
}

document.addEventListener("htmx:afterSettle", startAll);
startAll();
