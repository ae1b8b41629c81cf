// Curves to work with: a read-out with units, zoom by drag, wheel, pinch and keys, a legend that switches traces.
const { drawing, exact, heightsOf, percent, scale, svg, traceOf, unitOf, widened, within } = await import(document.getElementById("plot-js").href);
const FIELD = 1000, NEAR = 6, CLOSEST = 1e-7;
let scrolledAt = 0; // a wheel that scrolls the page must not begin to zoom when a plot comes under it

class Plot {
  constructor(root, data) {
    [this.root, this.data, this.figure] = [root, data, root.closest("figure") ?? root];
    this.traces = data.series.map((series, number) => traceOf(series, number, data));
    const ends = this.traces.flatMap(({ x }) => [x.reduce((a, b) => Math.min(a, b), Infinity), x.reduce((a, b) => Math.max(a, b), -Infinity)]);
    this.full = this.view = widened(Math.min(...ends), Math.max(...ends));
    if (!this.full.every(Number.isFinite)) throw new Error("no points");
    this.field = root.querySelector("svg.field-of-view");
    this.reading = this.figure.querySelector(".reading");
    this.said = this.reading?.textContent;
    this.band = svg("rect", { class: "under", y: 0, height: FIELD, width: 0 });
    this.pointers = new Map();
    this.reach = data.style === "sticks" ? 8 : 1.5; // pixels beside the pointer in which a point is looked for
    this.showLegend();
    this.draw();
    this.listen();
  }

  draw() {
    const traces = this.traces.filter((trace) => trace.isShown);
    this.x = scale(this.view, this.data.x);
    this.y = scale(heightsOf(traces, this.view, this.data.y, this.data.style === "sticks"), { log: this.data.y.log });
    this.mark = svg("g", {});
    this.field.querySelector("g").replaceChildren(...drawing({ ...this, traces }), this.mark);
    for (const one of this.figure.querySelectorAll("[data-whole]")) one.hidden = this.view === this.full;
    this.point(this.at);
  }

  // Show from one abscissa to another; never more than there is, and never closer than numbers can tell.
  show(from, to) {
    const [a, b] = [from, to].sort((one, other) => one - other);
    const [low, high] = [Math.max(a, this.full[0]), Math.min(b, this.full[1])];
    if (!(high - low > (this.full[1] - this.full[0]) * CLOSEST)) return;
    this.view = low === this.full[0] && high === this.full[1] ? this.full : [low, high];
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  zoom(factor, share) {
    this.show(this.x.value(share - share * factor), this.x.value(share + (1 - share) * factor));
  }

  // The point of a shown trace that is nearest to a place of the field, in pixels.
  nearest(across, down, { width, height }) {
    let [best, least] = [null, Infinity];
    for (const trace of this.traces.filter(({ isShown }) => isShown)) {
      const reach = (this.reach * (this.view[1] - this.view[0])) / width, at = this.x.value(across);
      const [from, to] = this.x.log ? within(trace, ...this.view) : within(trace, at - reach, at + reach);
      for (let place = from; place < to; place += 1) {
        if (trace.y[place] === null || trace.x[place] < this.view[0] || trace.x[place] > this.view[1]) continue;
        const [dx, dy] = [(this.x.place(trace.x[place]) - across) * width, (1 - this.y.place(trace.y[place]) - down) * height];
        const away = dx * dx * 9 + dy * dy; // sideways counts more: people look for what is above or below
        if (away < least) [best, least] = [{ trace, place }, away];
      }
    }
    return best;
  }

  // Put the reading point somewhere and say what is there; nowhere without one.
  point(at) {
    this.at = at?.trace.isShown ? at : null;
    this.mark.replaceChildren();
    if (this.reading) this.reading.textContent = this.said;
    if (!this.at) return;
    const { trace, place } = this.at, [x, y] = [trace.x[place], trace.y[place]];
    const [across, down] = [this.x.place(x), 1 - this.y.place(y)];
    if (across < -1e-9 || across > 1 + 1e-9) return;
    const height = document.createElement("b");
    height.textContent = exact(y);
    const where = ` ${unitOf(this.data.y)} at ${exact(x)} ${unitOf(this.data.x)}`.replace(/ +/g, " ").trimEnd();
    this.reading?.replaceChildren(height, where + (this.traces.length > 1 ? `, ${trace.name}` : ""));
    const tip = svg("text", { class: "tip", x: percent(across), y: percent(down), dy: -14 }, `${exact(y)} ${unitOf(this.data.y)}`.trim());
    const box = svg("rect", { class: "tip-box", rx: 4, height: 20 });
    const cross = svg("line", { class: "cross", x1: percent(across), x2: percent(across), y1: 0, y2: "100%" });
    this.mark.append(cross, svg("circle", { class: `point ${trace.style}`, cx: percent(across), cy: percent(down), r: 4 }), box, tip);
    const { width } = this.field.getBoundingClientRect(), long = tip.getComputedTextLength() + 12;
    const left = Math.max(-40, Math.min(across * width - long / 2, width - long));
    for (const [one, key, value] of [[box, "x", left], [box, "width", long], [tip, "x", left + 6], [box, "y", percent(down)]]) one.setAttribute(key, value);
    box.setAttribute("transform", "translate(0 -28)");
  }

  step(trace, place, by) {
    const start = Math.max(0, Math.min(trace.x.length - 1, place + by));
    for (let next = start; next !== place && next >= 0 && next < trace.x.length; next += Math.sign(by)) if (trace.y[next] !== null) return { trace, place: next };
    return { trace, place };
  }

  // The point of a trace that is nearest to an abscissa.
  beside(trace, x) {
    const known = [...trace.x.keys()].filter((place) => trace.y[place] !== null);
    return { trace, place: known.reduce((best, place) => (Math.abs(trace.x[place] - x) < Math.abs(trace.x[best] - x) ? place : best), 0) };
  }

  onKey(event) {
    const shown = this.traces.filter((trace) => trace.isShown);
    if (event.ctrlKey || event.metaKey || event.altKey || !shown.length) return;
    const { trace, place } = this.at ?? this.nearest(0.5, 0.5, this.field.getBoundingClientRect()) ?? { trace: shown[0], place: 0 };
    const centre = Math.min(1, Math.max(0, this.x.place(trace.x[place]))), turn = this.data.x.reversed ? -1 : 1;
    const forward = (trace.order || 1) * turn * (event.shiftKey ? 10 : 1), last = trace.x.length;
    const other = (by) => this.beside(shown[(shown.indexOf(trace) + by + shown.length) % shown.length], trace.x[place]);
    const acts = {
      ArrowRight: () => this.go(this.at ? this.step(trace, place, forward) : { trace, place }),
      ArrowLeft: () => this.go(this.at ? this.step(trace, place, -forward) : { trace, place }),
      ArrowUp: () => this.go(other(-1)), ArrowDown: () => this.go(other(1)),
      Home: () => this.go(forward > 0 ? this.step(trace, -1, 1) : this.step(trace, last, -1)),
      End: () => this.go(forward > 0 ? this.step(trace, last, -1) : this.step(trace, -1, 1)),
      "+": () => this.zoom(0.5, centre), "=": () => this.zoom(0.5, centre), "-": () => this.zoom(2, centre),
      0: () => this.show(...this.full), Escape: () => this.show(...this.full),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    this.reading?.setAttribute("aria-live", "polite");
    acts[event.key]();
  }

  // Move the reading point; a view that does not hold it follows.
  go(at) {
    const x = at.trace.x[at.place], [low, high] = this.view, half = (high - low) / 2;
    this.at = at;
    if (x < low || x > high) this.show(Math.min(x - half, this.full[1] - 2 * half), Math.max(x + half, this.full[0] + 2 * half));
    else this.point(at);
  }

  place(event) {
    const box = this.field.getBoundingClientRect();
    return { box, across: Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)), down: (event.clientY - box.top) / box.height };
  }

  onDown(event) {
    if (event.button || this.pointers.size > 1) return;
    const { across } = this.place(event);
    this.pointers.set(event.pointerId, { type: event.pointerType, from: across, value: this.x.value(across) });
    this.field.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") this.onMove(event);
  }

  onMove(event) {
    const { across, down, box } = this.place(event), held = this.pointers.get(event.pointerId);
    this.movedAt = event.timeStamp;
    if (held) held.across = across;
    if (held && this.pointers.size === 2) this.pinch();
    else if (held && held.type !== "touch") this.pick(held, box);
    else if (event.isPrimary) { this.reading?.setAttribute("aria-live", "off"); this.point(this.nearest(across, down, box)); }
  }

  // Two fingers keep what they took hold of.
  pinch() {
    const [one, other] = [...this.pointers.values()].map(({ value, from, across }) => [this.x.to(value), this.x.turn(across ?? from)]);
    const wide = (other[0] - one[0]) / (other[1] - one[1]);
    if (wide > 0 && Number.isFinite(wide)) this.show(this.x.from(one[0] - one[1] * wide), this.x.from(one[0] + (1 - one[1]) * wide));
  }

  pick({ from, across }, box) {
    this.isPicking = Math.abs(across - from) * box.width > NEAR;
    this.band.setAttribute("x", Math.min(from, across) * FIELD);
    this.band.setAttribute("width", this.isPicking ? Math.abs(across - from) * FIELD : 0);
  }

  onUp(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    this.band.setAttribute("width", 0);
    if (held && this.isPicking && event.type === "pointerup") this.show(held.value, this.x.value(held.across));
    this.isPicking = false;
  }

  onWheel(event) {
    const isMeant = event.ctrlKey || this.root.contains(document.activeElement) || this.movedAt > scrolledAt;
    if (!isMeant || (event.deltaY > 0 && this.view === this.full)) return;
    event.preventDefault();
    this.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / (event.ctrlKey ? 100 : 400)))), this.place(event).across);
  }

  listen() {
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    const acts = { pointerdown: "onDown", pointermove: "onMove", pointerup: "onUp", pointercancel: "onUp" };
    for (const [name, act] of Object.entries(acts)) this.field.addEventListener(name, (event) => this[act](event));
    this.field.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType === "mouse" && !this.pointers.size && !this.root.contains(document.activeElement)) this.point(null);
    });
    this.field.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.field.addEventListener("dblclick", () => this.show(...this.full));
    for (const one of this.figure.querySelectorAll("[data-whole]")) one.addEventListener("click", () => { this.show(...this.full); this.root.focus(); });
  }

  showLegend() {
    const legend = this.figure.querySelector(".legend");
    const switches = this.traces.map((trace) => {
      const key = svg("svg", { class: "key", viewBox: "0 0 20 12", "aria-hidden": "true" }, svg("path", { class: `trace ${trace.style}`, d: "M0 6h20" }));
      const button = Object.assign(document.createElement("button"), { type: "button", title: "Show or hide; with Shift, show this one only" });
      button.append(key, trace.name);
      button.addEventListener("click", ({ shiftKey }) => this.toggle(trace, shiftKey, switches));
      button.setAttribute("aria-pressed", "true");
      return button;
    });
    legend?.replaceChildren(...switches);
  }

  toggle(trace, isAlone, switches) {
    const wasAlone = this.traces.every((one) => one.isShown === (one === trace));
    if (isAlone) for (const one of this.traces) one.isShown = wasAlone || one === trace;
    else trace.isShown = !trace.isShown;
    switches.forEach((button, number) => button.setAttribute("aria-pressed", this.traces[number].isShown));
    this.draw();
  }
}

async function start(root) {
  root.dataset.state = "loading";
  try {
    const answer = await fetch(root.dataset.curve, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    new Plot(root, await answer.json());
    root.dataset.state = "ready";
  } catch {
    root.dataset.state = "as drawn"; // by the server, which stays
  }
}

const startAll = () => document.querySelectorAll(".plot[data-curve]:not([data-state])").forEach(start);
addEventListener("scroll", (event) => { scrolledAt = event.timeStamp; }, { passive: true });
document.addEventListener("htmx:afterSettle", startAll);
startAll();
