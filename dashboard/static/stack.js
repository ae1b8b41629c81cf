// The viewer of planes: channels in colours, contrast, depth and time, a scale bar, and zoom by tiles.

const MOST_STEPS_A_SECOND = 6; // while it plays

/** @param {string} id the link that carries a module's address with the hash of its content */
const moduleOf = (id) => import(/** @type {HTMLLinkElement} */ (document.getElementById(id)).href);
/** @type {typeof import("./planes.js")} */
const { Planes } = await moduleOf("planes-js");
/** @type {typeof import("./tiles.js")} */
const { field } = await moduleOf("tiles-js");
/** @type {typeof import("./stack_choice.js")} */
const { nameNumber, readChoice, sayChoice } = await moduleOf("stack-choice-js");
/** @type {typeof import("./scale_bar.js")} */
const { drawScaleBar, savePicture } = await moduleOf("scale-bar-js");
/** @type {typeof import("./zoom.js")} */
const { loadLibrary, openViewer, TilesUnderWay } = await moduleOf("zoom-js");
/** @typedef {import("./planes.js").Stack} Stack */

class StackViewer {
  /** @param {HTMLElement} imager @param {Stack} stack @param {any} library */
  constructor(imager, stack, library) {
    this.imager = imager;
    this.figure = imager.closest("figure") ?? imager; // with what stands below
    this.stack = stack;
    this.library = library;
    this.planes = new Planes(stack, imager.dataset.tiles ?? "");
    /** @type {{ button: HTMLElement } | null} */
    this.turn = null; // what plays
    this.drawing = new TilesUnderWay();
    this.stage = /** @type {HTMLElement} */ (imager.querySelector(".stage"));
    this.stage.style.aspectRatio = `${stack.width} / ${stack.height}`;
    for (const one of this.figure.querySelectorAll("[data-knobs]")) /** @type {HTMLElement} */ (one).hidden = false;
    readChoice(this.figure, this.planes);
    this.viewer = this.open(library);
    this.listen();
    sayChoice(this.figure, this.planes);
  }

  /** @template {HTMLElement} T @param {string} selector @returns {T | null} */
  find(selector) {
    return this.figure.querySelector(selector);
  }

  /** @param {any} library */
  open(library) {
    const { width, height, tile_size: tileSize, levels } = this.stack;
    const source = {
      width,
      height,
      tileSize,
      tileOverlap: 0,
      minLevel: 0,
      maxLevel: levels - 1,
      getTileUrl: (/** @type {number[]} */ ...place) => `${this.planes.address}/${place.join("/")}`,
      downloadTileStart: (/** @type {any} */ job) => this.start(job),
      downloadTileAbort: () => {},
    };
    const viewer = openViewer(library, this.stage, source);
    viewer.canvas.setAttribute("aria-label", this.stage.dataset.label ?? "");
    viewer.addHandler("tile-invalidated", (/** @type {any} */ event) => this.redraw(event));
    viewer.addHandler("update-viewport", () => this.drawBar());
    viewer.addHandler("open", () => {
      this.imager.dataset.state = "ready";
    });
    viewer.addHandler("canvas-key", (/** @type {any} */ event) => {
      if ("rfRF".includes(event.originalEvent.key)) event.preventDefaultAction = true; // no turning, no mirroring
    });
    return viewer;
  }

  /** An empty tile; what it shows is drawn each time that something is chosen. @param {any} job */
  start(job) {
    const { level, x, y } = job.tile;
    const [width, height] = this.planes.sizeOf(this.stack.levels - 1 - level, x, y);
    job.finish(field(width, height), null, "context2d");
  }

  /** @param {any} event */
  async redraw(event) {
    const { level, x, y } = event.tile;
    await this.drawing.add(this.planes.compose(this.stack.levels - 1 - level, x, y), async (context) => {
      if (!event.outdated()) await event.setData(context, "context2d");
    });
  }

  /** Draws all tiles anew. */
  async drawAll() {
    await this.drawing.end();
    await this.viewer.requestInvalidate(true);
  }

  listen() {
    this.figure.addEventListener("input", () => this.choose());
    this.figure.addEventListener("click", ({ target }) => {
      const button = target instanceof Element ? target.closest("[data-do]") : null;
      if (button instanceof HTMLElement) this.act(button.dataset.do ?? "", button);
    });
    this.figure.addEventListener("keydown", (event) => this.press(event));
    this.stage.addEventListener("pointermove", (event) => this.read(event), { capture: true });
    this.stage.addEventListener("pointerleave", () => sayChoice(this.figure, this.planes));
  }

  choose() {
    readChoice(this.figure, this.planes);
    sayChoice(this.figure, this.planes);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.drawAll(), 30);
  }

  /** @param {string} what @param {HTMLElement} button */
  act(what, button) {
    const { viewport } = this.viewer;
    if (what === "larger" || what === "smaller") viewport.zoomBy(what === "larger" ? 1.5 : 1 / 1.5).applyConstraints();
    if (what === "fit") viewport.goHome();
    if (what === "auto") this.reset(Number(button.dataset.channel ?? 0));
    if (what === "play") this.play(button);
    if (what === "save") this.save();
  }

  /** @param {number} channel */
  reset(channel) {
    for (const name of ["low", "high"]) {
      const slider = /** @type {HTMLInputElement} */ (this.find(`[name="${name}-${channel}"]`));
      slider.value = slider.defaultValue;
    }
    this.choose();
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, target } = event;
    if (target instanceof HTMLInputElement && target.type === "text") return;
    if (key === "[" || key === "]") this.step("z", key === "]" ? 1 : -1);
    else if (key === "," || key === ".") this.step("t", key === "." ? 1 : -1);
    else if (key === "m") this.turnTo();
    else if (/^[1-9]$/.test(key))
      /** @type {HTMLElement | null} */ (this.find(`[name="channel"][value="${Number(key) - 1}"]`))?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} name @param {number} by */
  step(name, by) {
    const slider = /** @type {HTMLInputElement | null} */ (this.find(`[name="${name}"]`));
    if (!slider) return;
    slider.value = String(Number(slider.value) + by);
    this.choose();
  }

  /** To the maximum of all depths, on to their sum, and back to one plane. */
  turnTo() {
    /** @type {NodeListOf<HTMLInputElement>} */
    const found = this.figure.querySelectorAll(`[name="plane"]`);
    const choices = [...found];
    choices[(choices.findIndex((one) => one.checked) + 1) % choices.length]?.click();
  }

  /** Plane after plane, round and round, until the button is pressed again. @param {HTMLElement} button */
  async play(button) {
    const turn = (this.turn = this.turn && this.turn.button === button ? null : { button });
    for (const one of this.figure.querySelectorAll(`[data-do="play"]`)) {
      one.setAttribute("aria-pressed", String(turn !== null && one === button));
      one.textContent = turn !== null && one === button ? "Stop" : "Play";
    }
    const name = button.dataset.axis ?? "";
    if (turn && name === "z") /** @type {HTMLElement | null} */ (this.find(`[name="plane"][value="one"]`))?.click();
    const slider = /** @type {HTMLInputElement} */ (this.find(`[name="${name}"]`));
    while (turn && this.turn === turn && this.figure.isConnected) {
      slider.value = String((Number(slider.value) % Number(slider.max)) + 1);
      readChoice(this.figure, this.planes);
      sayChoice(this.figure, this.planes);
      const pause = new Promise((resolve) => setTimeout(resolve, 1000 / MOST_STEPS_A_SECOND));
      await Promise.all([this.drawAll(), pause]);
    }
  }

  /** @param {PointerEvent} event */
  read(event) {
    const reading = this.find(".reading");
    const image = this.viewer.world.getItemAt(0);
    if (!reading || !image) return;
    const box = this.stage.getBoundingClientRect();
    const place = image.viewerElementToImageCoordinates(
      new this.library.Point(event.clientX - box.left, event.clientY - box.top),
    );
    const [x, y] = [Math.floor(place.x), Math.floor(place.y)];
    if (x < 0 || y < 0 || x >= this.stack.width || y >= this.stack.height) return sayChoice(this.figure, this.planes);
    const values = this.stack.channels.flatMap(({ name }, channel) => {
      const found = this.planes.looks[channel].isShown ? this.planes.valueAt(channel, x, y) : undefined;
      return found ? [`${name} ${found.isExact ? "" : "≈ "}${nameNumber(found.value)}`] : [];
    });
    const by = this.stack.reduced_by;
    reading.textContent = [`x ${x * by}, y ${y * by}`, ...values].join(" · ");
  }

  /** How long one pixel of the screen is, and in what. */
  get perPixel() {
    const image = this.viewer.world.getItemAt(0);
    const zoom = image?.viewportToImageZoom(this.viewer.viewport.getZoom(true)) ?? 1;
    return (this.stack.pixel_size_um ?? this.stack.reduced_by) / zoom;
  }

  drawBar() {
    const bar = this.find(".stage-scale");
    if (bar) drawScaleBar(bar, this.perPixel, this.stack.pixel_size_um !== null);
  }

  save() {
    const name = `${this.imager.dataset.title ?? "image"}.png`;
    savePicture(
      this.viewer.drawer.canvas,
      this.stage.clientWidth,
      this.perPixel,
      this.stack.pixel_size_um !== null,
      name,
    );
  }
}

/** @param {HTMLElement} figure */
async function start(figure) {
  const { stack: address = "", library = "" } = figure.dataset;
  if (!library) return; // the picture stays
  figure.dataset.state = "loading";
  try {
    const [answer, loaded] = await Promise.all([fetch(address), loadLibrary(library)]);
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    new StackViewer(figure, await answer.json(), loaded);
  } catch {
    figure.dataset.state = "as drawn";
  }
}

function startAll() {
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll("[data-stack]:not([data-state])");
  for (const figure of found) start(figure);
}

document.addEventListener("htmx:afterSettle", startAll);
startAll();
