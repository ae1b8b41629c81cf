// OpenSeadragon: loaded where there is an image to zoom, set as all images are, and given time for its tiles.

/** @param {string} address @returns {Promise<any>} */
export function loadLibrary(address) {
  const known = /** @type {any} */ (window).OpenSeadragon;
  if (known) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    const styles = document.createElementNS(null, "style"); // of no kind that holds styles: the library
    styles.setAttribute("data-openseadragon-mobile-css", ""); // looks for it before it writes its own, which is refused
    const script = document.createElement("script");
    script.src = address;
    script.addEventListener("load", () => resolve(/** @type {any} */ (window).OpenSeadragon));
    script.addEventListener("error", reject);
    document.head.append(styles, script);
  });
}

/** @param {any} library @param {HTMLElement} element @param {{ maxLevel: number }} source */
export function openViewer(library, element, source) {
  return library({
    element,
    tileSources: [source],
    drawer: "canvas",
    showNavigationControl: false,
    showNavigator: source.maxLevel > 2,
    navigatorPosition: "BOTTOM_RIGHT",
    navigatorSizeRatio: 0.18,
    navigatorDisplayRegionColor: "#ffffff",
    maxZoomPixelRatio: 16,
    imageSmoothingEnabled: false,
    animationTime: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 0.4,
    gestureSettingsMouse: { clickToZoom: false, dblClickToZoom: true },
  });
}

const LONGEST_WAIT = 1_000; // ms, until tiles on their way are left where they are
const NEXT_LOOK = 15; // ms, until it is asked again whether one is being drawn

/** Tiles that are being drawn: the library leaves one blank that is to be drawn anew meanwhile. */
export class TilesUnderWay {
  count = 0;
  leave = () => {};
  left = this.next();

  next() {
    return /** @type {Promise<void>} */ (new Promise((resolve) => (this.leave = resolve)));
  }

  /** @template What @param {Promise<What>} coming @param {(what: What) => Promise<void>} draw */
  async add(coming, draw) {
    this.count += 1;
    try {
      const what = await Promise.race([coming, this.left]);
      if (what) await draw(what);
    } finally {
      this.count -= 1;
    }
  }

  /** Until none is left; one that does not come holds up nothing. */
  async end() {
    for (let waited = 0; this.count; waited += NEXT_LOOK) {
      if (waited >= LONGEST_WAIT) {
        this.leave();
        this.left = this.next();
      }
      await new Promise((resolve) => setTimeout(resolve, NEXT_LOOK));
    }
  }
}
