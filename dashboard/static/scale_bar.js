// The scale bar of an image, and what is seen of it as a picture with that bar.

const SHORTEST_BAR = 60; // pixels of the screen
const NICE = [1, 2, 5];
const NUMBERS = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });

/** The longest of 1, 2, 5, 10 … that is no longer than twice the shortest bar. @param {number} perPixel */
function niceLength(perPixel) {
  const least = SHORTEST_BAR * perPixel;
  const power = 10 ** Math.floor(Math.log10(least));
  return (NICE.find((step) => step * power >= least) ?? 10) * power;
}

/** @param {number} micrometres */
export function nameLength(micrometres) {
  if (micrometres >= 1000) return `${NUMBERS.format(micrometres / 1000)} mm`;
  return micrometres >= 1 ? `${NUMBERS.format(micrometres)} µm` : `${NUMBERS.format(micrometres * 1000)} nm`;
}

/**
 * How long the bar is, in its unit and on the screen, and what stands below.
 * @param {number} perPixel
 * @param {boolean} isMeasured
 */
function measureBar(perPixel, isMeasured) {
  const length = niceLength(perPixel);
  return { across: length / perPixel, name: isMeasured ? nameLength(length) : `${NUMBERS.format(length)} pixels` };
}

/**
 * @param {HTMLElement} bar
 * @param {number} perPixel of the screen: micrometres, or pixels of the file
 * @param {boolean} isMeasured
 */
export function drawScaleBar(bar, perPixel, isMeasured) {
  const { across, name } = measureBar(perPixel, isMeasured);
  if (!Number.isFinite(across)) return;
  bar.hidden = false;
  bar.querySelector("svg")?.setAttribute("width", String(across + 2));
  bar.querySelector("path")?.setAttribute("d", `M1 1v6M1 4h${across}M${across + 1} 1v6`);
  const said = bar.querySelector("span");
  if (said) said.textContent = name;
}

/**
 * What is seen, with the scale bar, as PNG.
 * @param {HTMLCanvasElement} shown @param {number} width of it on the screen @param {number} perPixel
 * @param {boolean} isMeasured @param {string} filename
 */
export function savePicture(shown, width, perPixel, isMeasured, filename) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [shown.width, shown.height];
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(shown, 0, 0);
  const ratio = shown.width / width;
  context.scale(ratio, ratio);
  const { across, name } = measureBar(perPixel, isMeasured);
  const bottom = shown.height / ratio - 20;
  context.fillStyle = "#fff";
  context.fillRect(16, bottom, across, 4);
  context.font = "13px sans-serif";
  context.fillText(name, 16, bottom - 8);
  canvas.toBlob((data) => {
    if (!data) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(data);
    link.download = filename;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  });
}
