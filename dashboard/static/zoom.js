// OpenSeadragon: loaded where there is an image to zoom, and set as all images are.

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
