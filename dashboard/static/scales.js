// How the axes of a curve run: logarithmic where its values allow, a unit as long on both where they are one quantity.

/** @typedef {import("./curve.js").Plot} Plot */
/** @typedef {import("./plot.js").Span} Span */
// Always linear:
const SWEEPS = /retention|cycle|theta|angle|θ|scan|wavelength|wavenumber|shift|m\/z|temperature|potential/i;
const SHARES = /transmi(ttance|ssion)|reflectance|%\s?[TR]\b/i; // of light: no logarithm, which would be the absorbance
const MIN_SHARE_ABOVE_BASELINE = 0.2; // of a signal that noise takes below zero, as that of qPCR under a threshold

/** A view as wide as the heights need. @param {Span} view @param {Span} heights @returns {Span} */
export function equalWidth([low, high], [bottom, top]) {
  return [low, Math.max(high, low + top - bottom)];
}

/** Heights over as much as the view is wide, from below. @param {Span} heights @param {Span} view @returns {Span} */
export function equalHeights([bottom], [low, high]) {
  return [bottom, bottom + high - low];
}

/** @param {(number | null)[]} values @param {number} share of them that must have a place on a logarithmic axis */
function fitsLogarithm(values, share) {
  const known = values.filter((value) => value !== null);
  const positive = known.filter((value) => value > 0);
  return positive.length > 1 && positive.length >= share * known.length;
}

/** @param {Plot} plot */
export function offerScales(plot) {
  const bar = plot.figure.querySelector("[data-scales]");
  if (!(bar instanceof HTMLElement)) return;
  const { data } = plot;
  for (const name of /** @type {("x" | "y")[]} */ (["x", "y"])) {
    const box = bar.querySelector(`[name=${name}]`);
    const label = box?.closest("label");
    if (!(box instanceof HTMLInputElement) || !label) continue;
    const isAboveBaseline = name === "y" && plot.marks.some((mark) => mark.x === undefined);
    const values = data.series.flatMap((one) => one[name]);
    const isLinear = name === "x" ? SWEEPS.test(data.x.label) : SHARES.test(`${data.y.label} ${data.y.unit ?? ""}`);
    const isFit =
      data[name].log ||
      (!isLinear && !data[name].reversed && fitsLogarithm(values, isAboveBaseline ? MIN_SHARE_ABOVE_BASELINE : 1));
    label.hidden = !isFit;
    box.checked = data[name].log === true;
    box.addEventListener("change", () => {
      data[name].log = box.checked;
      plot.rebuild();
    });
    if (isFit) bar.hidden = false;
  }
}
