// What hands do with a curve: zoom by drag, wheel, pinch and keys, a reading point that the arrows move.

/** @typedef {import("./curve.js").Plot} Plot */
/** @typedef {import("./curve.js").At} At */
/** @typedef {import("./plot.js").Trace} Trace */
/** @typedef {{ type: string, from: number, value: number, across?: number }} Held a pointer that is down */

const FIELD = 1000;
const NEAR = 6;
const MANY_POINTS = 10_000;
const CALM_MS = 200;
/** @type {WeakMap<Element, ReturnType<typeof setTimeout>>} */
const calming = new WeakMap();
let scrolledAt = 0; // a wheel that scrolls the page must not begin to zoom when a plot comes under it

/**
 * While a plot moves, many points are drawn without dashes and round corners, for which a browser without a graphics
 * card needs four times as long. @param {Plot} plot
 */
export function hasten({ field, traces }) {
  if (traces.reduce((sum, { x }) => sum + x.length, 0) < MANY_POINTS) return;
  field.setAttribute("data-moving", "");
  clearTimeout(calming.get(field));
  calming.set(
    field,
    setTimeout(() => field.removeAttribute("data-moving"), CALM_MS),
  );
}

/** @param {Trace} trace @param {number} place @param {number} by @returns {At} */
function step(trace, place, by) {
  const start = Math.max(0, Math.min(trace.x.length - 1, place + by));
  for (let next = start; next !== place && next >= 0 && next < trace.x.length; next += Math.sign(by)) {
    if (trace.y[next] !== null) return { trace, place: next };
  }
  return { trace, place };
}

/** The point of a trace that is nearest to an abscissa. @param {Trace} trace @param {number} x @returns {At} */
function beside(trace, x) {
  const known = [...trace.x.keys()].filter((place) => trace.y[place] !== null);
  /** @param {number} place */
  const away = (place) => Math.abs(trace.x[place] - x);
  return { trace, place: known.reduce((best, place) => (away(place) < away(best) ? place : best), 0) };
}

class Gestures {
  /** @type {Map<number, Held>} */
  pointers = new Map();
  movedAt = -1;
  isPicking = false;

  /** @param {Plot} plot */
  constructor(plot) {
    this.plot = plot;
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { plot } = this;
    const shown = plot.shown();
    if (event.ctrlKey || event.metaKey || event.altKey || !shown.length) return;
    const nearest = () => plot.nearest(0.5, 0.5, plot.field.getBoundingClientRect());
    const { trace, place } = plot.at ?? nearest() ?? { trace: shown[0], place: 0 };
    const centre = Math.min(1, Math.max(0, plot.x.place(trace.x[place])));
    const turn = plot.data.x.reversed ? -1 : 1;
    const forward = (trace.order || 1) * turn * (event.shiftKey ? 10 : 1);
    const last = trace.x.length;
    /** @param {number} by */
    const sideways = (by) => this.go(plot.at ? step(trace, place, by) : { trace, place });
    /** @param {number} by */
    const toTrace = (by) =>
      this.go(beside(shown[(shown.indexOf(trace) + by + shown.length) % shown.length], trace.x[place]));
    const [first, final] = [step(trace, -1, 1), step(trace, last, -1)];
    /** @type {Record<string, () => void>} */
    const acts = {
      ArrowRight: () => sideways(forward),
      ArrowLeft: () => sideways(-forward),
      ArrowUp: () => toTrace(-1),
      ArrowDown: () => toTrace(1),
      Home: () => this.go(forward > 0 ? first : final),
      End: () => this.go(forward > 0 ? final : first),
      "+": () => plot.zoom(0.5, centre),
      "=": () => plot.zoom(0.5, centre),
      "-": () => plot.zoom(2, centre),
      0: () => plot.show(...plot.full),
      Escape: () => plot.show(...plot.full),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    plot.reading?.setAttribute("aria-live", "polite");
    act();
  }

  /** Move the reading point; a view that does not hold it follows. @param {At} at */
  go(at) {
    const { plot } = this;
    const x = at.trace.x[at.place];
    const [low, high] = plot.view;
    const half = (high - low) / 2;
    plot.at = at;
    if (x >= low && x <= high) plot.point(at);
    else plot.show(Math.min(x - half, plot.full[1] - 2 * half), Math.max(x + half, plot.full[0] + 2 * half));
  }

  /** @param {MouseEvent} event */
  place(event) {
    const box = this.plot.field.getBoundingClientRect();
    const across = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    return { box, across, down: (event.clientY - box.top) / box.height };
  }

  /** @param {PointerEvent} event */
  onDown(event) {
    if (event.button || this.pointers.size > 1) return;
    const { across } = this.place(event);
    this.pointers.set(event.pointerId, { type: event.pointerType, from: across, value: this.plot.x.value(across) });
    this.plot.field.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") this.onMove(event);
  }

  /** @param {PointerEvent} event */
  onMove(event) {
    const { across, down, box } = this.place(event);
    const held = this.pointers.get(event.pointerId);
    this.movedAt = event.timeStamp;
    if (held) held.across = across;
    if (held && this.pointers.size === 2) this.pinch();
    else if (held && held.type !== "touch") this.pick(held.from, across, box);
    else if (event.isPrimary) {
      this.plot.reading?.setAttribute("aria-live", "off");
      this.plot.point(this.plot.nearest(across, down, box));
    }
  }

  /** Two fingers keep what they took hold of. */
  pinch() {
    const { plot } = this;
    const [one, other] = [...this.pointers.values()].map(({ value, from, across }) => {
      return [plot.x.to(value), plot.x.turn(across ?? from)];
    });
    const wide = (other[0] - one[0]) / (other[1] - one[1]);
    if (!(wide > 0 && Number.isFinite(wide))) return;
    plot.show(plot.x.from(one[0] - one[1] * wide), plot.x.from(one[0] + (1 - one[1]) * wide));
  }

  /** @param {number} from @param {number} across @param {DOMRect} box */
  pick(from, across, box) {
    this.isPicking = Math.abs(across - from) * box.width > NEAR;
    this.plot.band.setAttribute("x", String(Math.min(from, across) * FIELD));
    this.plot.band.setAttribute("width", String(this.isPicking ? Math.abs(across - from) * FIELD : 0));
  }

  /** @param {PointerEvent} event */
  onUp(event) {
    const held = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    this.plot.band.setAttribute("width", "0");
    if (this.isPicking && held?.across !== undefined && event.type === "pointerup") {
      this.plot.show(held.value, this.plot.x.value(held.across));
    }
    this.isPicking = false;
  }

  /** @param {WheelEvent} event */
  onWheel(event) {
    const { root, view, full } = this.plot;
    const isMeant = event.ctrlKey || root.contains(document.activeElement) || this.movedAt > scrolledAt;
    if (!isMeant || (event.deltaY > 0 && view === full)) return;
    event.preventDefault();
    const turns = Math.max(-1, Math.min(1, event.deltaY / (event.ctrlKey ? 100 : 400)));
    this.plot.zoom(Math.exp(turns), this.place(event).across);
  }

  /** @param {PointerEvent} event */
  onLeave({ pointerType }) {
    const isWorkedWith = this.pointers.size || this.plot.root.contains(document.activeElement);
    if (pointerType === "mouse" && !isWorkedWith) this.plot.point(null);
  }
}

/** @param {Plot} plot */
export function listen(plot) {
  const gestures = new Gestures(plot);
  const { root, field } = plot;
  root.addEventListener("keydown", (event) => gestures.onKey(event));
  field.addEventListener("pointerdown", (event) => gestures.onDown(event));
  field.addEventListener("pointermove", (event) => gestures.onMove(event));
  field.addEventListener("pointerup", (event) => gestures.onUp(event));
  field.addEventListener("pointercancel", (event) => gestures.onUp(event));
  field.addEventListener("pointerleave", (event) => gestures.onLeave(event));
  field.addEventListener("wheel", (event) => gestures.onWheel(event), { passive: false });
  field.addEventListener("dblclick", () => plot.show(...plot.full));
  for (const one of plot.wholes()) {
    one.addEventListener("click", () => {
      plot.show(...plot.full);
      root.focus();
    });
  }
}

addEventListener(
  "scroll",
  ({ timeStamp }) => {
    scrolledAt = timeStamp;
  },
  { passive: true },
);
