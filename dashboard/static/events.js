// Flow cytometry: the density of events over any two channels, linear or logicle, as cells of a drawing.

/** @typedef {import("./logicle.js").Logicle} Logicle */
/**
 * @typedef {{ name: string, scale: string, low: number, high: number, logicle: Logicle, data: string }} Channel
 * @typedef {{ format: "ids-events/1", title: string, total: number, count: number, channels: Channel[] }} Events
 */
const CELLS = 128;
const FIELD = 1000;
const LEVELS = 6; // the lightest two of eight would not be seen

/** @param {string} id the link that carries a module's address with the hash of its content */
const moduleOf = (id) => import(/** @type {HTMLLinkElement} */ (document.getElementById(id)).href);
/** @type {typeof import("./plot.js")} */
const { drawing, scale, svg } = await moduleOf("plot-js");
/** @type {typeof import("./logicle.js")} */
const { logicleScale } = await moduleOf("logicle-js");
/** @type {typeof import("./sheet.js")} */
const { decodeChannel } = await moduleOf("sheet-js");

/**
 * How many events lie in each cell.
 * @param {Float32Array} xs @param {Float32Array} ys
 * @param {(value: number) => number} x @param {(value: number) => number} y
 */
function count(xs, ys, x, y) {
  const cells = new Uint32Array(CELLS * CELLS);
  let inside = 0;
  for (const [number, at] of xs.entries()) {
    const [across, up] = [Math.floor(x(at) * CELLS), Math.floor(y(ys[number]) * CELLS)];
    if (across < 0 || up < 0 || across > CELLS || up > CELLS) continue;
    cells[Math.min(up, CELLS - 1) * CELLS + Math.min(across, CELLS - 1)] += 1; // the edge belongs to the last cell
    inside += 1;
  }
  return { cells, inside };
}

/** One path for each level of the logarithm of the density. @param {Uint32Array} cells */
function pathsOf(cells) {
  const most = Math.log1p(cells.reduce((a, b) => Math.max(a, b), 1));
  const paths = Array.from({ length: LEVELS }, () => /** @type {string[]} */ ([]));
  const size = FIELD / CELLS;
  for (const [place, events] of cells.entries()) {
    if (!events) continue;
    const level = Math.min(LEVELS - 1, Math.floor((Math.log1p(events) / most) * LEVELS));
    const [across, up] = [place % CELLS, Math.floor(place / CELLS)];
    paths[level].push(
      `M${(across * size).toFixed(1)} ${((CELLS - 1 - up) * size).toFixed(1)}h${size}v${size}h-${size}z`,
    );
  }
  return paths.map((path, level) => svg("path", { class: `v${level + 3}`, d: path.join("") }));
}

class Density {
  /** @param {HTMLElement} root @param {Events} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.figure = root.closest("figure") ?? root;
    this.values = data.channels.map(decodeChannel);
    const knobs = this.figure.querySelector("[data-knobs]");
    if (knobs instanceof HTMLElement) knobs.hidden = false;
    for (const select of this.selects()) select.addEventListener("change", () => this.change(select));
    this.draw();
  }

  /** @returns {HTMLSelectElement[]} */
  selects() {
    return [...this.figure.querySelectorAll("[data-knobs] select")].map(
      (one) => /** @type {HTMLSelectElement} */ (one),
    );
  }

  /** @param {string} name */
  chosen(name) {
    return this.selects().find((one) => one.name === name)?.value ?? "0";
  }

  /** A channel comes with the scale that suits it. @param {HTMLSelectElement} select */
  change(select) {
    const other = this.selects().find((one) => one.name === `${select.name}-scale`);
    if (other) other.value = this.data.channels[Number(select.value)].scale;
    this.draw();
  }

  /** @param {"x" | "y"} name */
  scaleOf(name) {
    const { low, high, logicle } = this.data.channels[Number(this.chosen(name))];
    return this.chosen(`${name}-scale`) === "logicle" ? logicleScale(logicle) : scale([low, high], {});
  }

  draw() {
    const [across, upward] = [Number(this.chosen("x")), Number(this.chosen("y"))];
    const [x, y] = [this.scaleOf("x"), this.scaleOf("y")];
    const { cells, inside } = count(this.values[across], this.values[upward], x.place, y.place);
    const { channels, total } = this.data;
    const axes = {
      style: "density",
      x: { label: channels[across].name },
      y: { label: channels[upward].name },
      series: [],
    };
    const band = svg("g", {}, ...pathsOf(cells));
    this.root
      .querySelector("svg.field-of-view > g")
      ?.replaceChildren(...drawing({ traces: [], view: [0, 1], x, y, data: axes, band }));
    const reading = this.figure.querySelector(".reading");
    const of = `${inside.toLocaleString("en")} of ${this.data.count.toLocaleString("en")} events drawn`;
    if (reading) reading.textContent = `${of}; the file has ${total.toLocaleString("en")}`;
  }
}

/** @param {HTMLElement} root */
async function start(root) {
  root.dataset.state = "loading";
  try {
    const answer = await fetch(root.dataset.events ?? "", { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    new Density(root, await answer.json());
    root.dataset.state = "ready";
  } catch {
    root.dataset.state = "as drawn"; // by the server, which stays
  }
}

function startAll() {
  /** @type {NodeListOf<HTMLElement>} */
  const plots = document.querySelectorAll("[data-events]:not([data-state])");
  for (const plot of plots) start(plot);
}

document.addEventListener("htmx:afterSettle", startAll);
startAll();
