// What is chosen in the viewer of planes, read from its knobs and said beside them: depth, time, black and white.

/** @typedef {import("./planes.js").Look} Look */
/** @typedef {import("./planes.js").Planes} Planes */
/** @type {typeof import("./scale_bar.js")} */
const { nameLength } = await import(/** @type {HTMLLinkElement} */ (document.getElementById("scale-bar-js")).href);
const NUMBERS = new Intl.NumberFormat("en", { maximumSignificantDigits: 5 });

/** @param {number} value */
export const nameNumber = (value) => NUMBERS.format(value);

/**
 * Black and white of a channel, in numbers and over its histogram.
 * @param {HTMLElement} box @param {Look} look @param {(code: number) => string} name
 */
function showWindow(box, look, name) {
  for (const edge of /** @type {const} */ (["low", "high"])) {
    const said = box.querySelector(`[data-said="${edge}"]`);
    if (said) said.textContent = name(look[edge]);
  }
  const slider = /** @type {HTMLInputElement} */ (box.querySelector("input[type=range]"));
  const [least, greatest] = [Number(slider.min), Number(slider.max)];
  const share = (/** @type {number} */ code) => ((code - least) / Math.max(greatest - least, 1e-9)) * 63;
  box.querySelector(".below")?.setAttribute("width", String(Math.max(0, share(look.low))));
  box.querySelector(".above")?.setAttribute("x", String(share(look.high)));
}

/**
 * The number of a code; 0 where it is next to nothing beside what lies between black and white.
 * @param {Planes} planes @param {number} channel @param {Look} look @returns {(code: number) => string}
 */
function nameWithin(planes, channel, look) {
  const width = Math.abs(planes.valueOf(channel, look.high) - planes.valueOf(channel, look.low));
  return (code) => {
    const value = planes.valueOf(channel, code);
    return nameNumber(Math.abs(value) < width / 100_000 ? 0 : value);
  };
}

/** @param {HTMLElement} figure @param {Planes} planes */
export function sayChoice(figure, planes) {
  const { depths, times, z_step_um: step, interval_s: interval } = planes.stack;
  const { depth, time, looks } = planes;
  const words = (/** @type {number} */ place, /** @type {number} */ of, /** @type {string} */ more) =>
    `${place + 1} of ${of}${more}`;
  const deep = step ? `, ${nameLength(depth * step)}` : "";
  const one = depth === depths ? `maximum of ${depths}` : words(depth, depths, deep);
  const [z, t] = [figure.querySelector(`output[name="z-said"]`), figure.querySelector(`output[name="t-said"]`)];
  if (z) z.textContent = planes.isSum ? `sum of ${depths}` : one;
  if (t) t.textContent = words(time, times, interval ? `, ${nameNumber(time * interval)} s` : "");
  for (const [channel, look] of looks.entries()) {
    const box = /** @type {HTMLElement | null} */ (figure.querySelector(`[data-window="${channel}"]`));
    if (box) showWindow(box, look, nameWithin(planes, channel, look));
  }
  const reading = /** @type {HTMLElement | null} */ (figure.querySelector(".reading"));
  if (reading) reading.textContent = reading.dataset.otherwise ?? "";
}

/** What the knobs say, to the planes. @param {HTMLElement} figure @param {Planes} planes */
export function readChoice(figure, planes) {
  const find = (/** @type {string} */ selector) =>
    /** @type {HTMLInputElement | null} */ (figure.querySelector(selector));
  const number = (/** @type {string} */ name) => Number(find(`[name="${name}"]`)?.value ?? 1);
  const chosen = find(`[name="plane"]:checked`)?.value;
  planes.isSum = chosen === "sum";
  planes.depth = chosen === "maximum" ? planes.stack.depths : number("z") - 1;
  planes.time = number("t") - 1;
  planes.show(
    planes.stack.channels.map((_, channel) => ({
      isShown: find(`[name="channel"][value="${channel}"]`)?.checked ?? true,
      low: number(`low-${channel}`),
      high: number(`high-${channel}`),
      color: find(`[name="color-${channel}"]`)?.value ?? "#ffffff",
    })),
  );
}
