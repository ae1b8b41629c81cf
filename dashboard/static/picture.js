// A plot, a plate or a table as a picture that stands alone: SVG with the styles written into it, in light colours.
const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linejoin",
  "stroke-linecap",
  "overflow",
  "vector-effect",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
];
const NOT_DRAWN = ".cross, .point, .tip, .tip-box, .under, title, desc";
const [LEFT, ABOVE, BELOW, RIGHT, LINE] = [108, 64, 56, 28, 20];
const NAMESPACE = "http://www.w3.org/2000/svg";
const FONT = "Liberation Sans, Arial, sans-serif";

/** @param {string} name @param {Record<string, string | number>} attributes @param {...(Node | string)} inside */
function element(name, attributes, ...inside) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...inside);
  return made;
}

/** @param {number} width @param {number} height @param {...Node} inside */
function sheet(width, height, ...inside) {
  const size = { width, height, viewBox: `0 0 ${width} ${height}` };
  const made = element(
    "svg",
    { xmlns: NAMESPACE, ...size },
    element("rect", { width, height, fill: "#fff" }),
    ...inside,
  );
  return { text: new XMLSerializer().serializeToString(made), width, height };
}

/** @param {Element} shown @param {Element} copy */
function writeStyles(shown, copy) {
  const style = getComputedStyle(shown);
  for (const name of STYLES) copy.setAttribute(name, style.getPropertyValue(name));
  copy.removeAttribute("class");
  for (const [place, child] of [...shown.children].entries()) writeStyles(child, copy.children[place]);
}

/** @param {string} said @param {Record<string, string | number>} place */
const text = (said, place) =>
  element("text", { "font-family": FONT, "font-size": 13, fill: "#1c1a17", ...place }, said);

/** A trace and its name in every line below the plot. @param {Element} figure @param {number} top */
function legend(figure, top) {
  const shown = [...figure.querySelectorAll(".legend > *")].filter((one) => one.ariaPressed !== "false");
  return shown.slice(0, 24).flatMap((one, number) => {
    const y = top + number * LINE;
    const path = one.querySelector("path");
    const line = element("path", { d: `M${LEFT} ${y - 4}h24`, fill: "none" });
    if (path)
      for (const name of ["stroke", "stroke-width", "stroke-dasharray"])
        line.setAttribute(name, getComputedStyle(path).getPropertyValue(name));
    return [line, text((one.textContent ?? "").trim(), { x: LEFT + 32, y })];
  });
}

/** @param {HTMLElement} figure @param {SVGSVGElement} field @param {string} title */
function pictureOfPlot(figure, field, title) {
  const { width, height } = field.getBoundingClientRect();
  const copy = /** @type {SVGSVGElement} */ (field.cloneNode(true));
  const left = [...field.querySelectorAll("*")].map((one) => one.matches(NOT_DRAWN));
  const copies = [...copy.querySelectorAll("*")];
  writeStyles(field, copy);
  for (const [place, isLeft] of left.entries()) if (isLeft) copies[place].remove();
  for (const [key, value] of Object.entries({ x: LEFT, y: ABOVE, width, height, overflow: "visible" })) {
    copy.setAttribute(key, String(value));
  }
  const keys = legend(figure, ABOVE + height + BELOW + LINE);
  const whole = ABOVE + height + BELOW + (keys.length / 2) * LINE + 8;
  return sheet(LEFT + width + RIGHT, whole, text(title, { x: 16, y: 26, "font-weight": 600 }), copy, ...keys);
}

/** @param {Element} shown @param {DOMRect} box */
function drawCell(shown, box) {
  const [style, at] = [getComputedStyle(shown), shown.getBoundingClientRect()];
  const [x, y] = [at.left - box.left + 12, at.top - box.top + 44];
  const drawn = [];
  const isFilled = !["rgba(0, 0, 0, 0)", "transparent"].includes(style.backgroundColor);
  const isSilent = shown.classList.contains("vx");
  const size = { x, y, width: at.width, height: at.height };
  if (isFilled)
    drawn.push(
      element("rect", {
        ...size,
        rx: Math.min(15, Number.parseFloat(style.borderRadius) || 0),
        fill: style.backgroundColor,
      }),
    );
  if (isSilent)
    drawn.push(element("rect", { ...size, rx: 15, fill: "none", stroke: "#8c887e", "stroke-dasharray": "3 3" }));
  const said = [...shown.childNodes]
    .filter((node) => !(node instanceof Element && node.matches(".sr")))
    .map((node) => node.textContent)
    .join("")
    .trim();
  const anchor = { end: "end", right: "end", center: "middle" }[style.textAlign] ?? "start";
  const across = { start: x + 8, middle: x + at.width / 2, end: x + at.width - 8 }[anchor] ?? x;
  const place = {
    x: across,
    y: y + at.height / 2 + 4,
    "text-anchor": anchor,
    fill: style.color,
    "font-size": style.fontSize,
  };
  if (said) drawn.push(text(said, { ...place, "font-weight": style.fontWeight }));
  return drawn;
}

/** @param {HTMLTableElement} table @param {string} title @param {string} [after] */
function pictureOfTable(table, title, after) {
  const frame = table.closest(".frame");
  frame?.scrollTo(0, 0);
  const box = table.getBoundingClientRect();
  const cells = [...table.querySelectorAll("th, td")].flatMap((cell) => drawCell(cell, box));
  const said = after ? [text(after, { x: 16, y: box.height + 68, "font-size": 12 })] : [];
  return sheet(box.width + 24, box.height + 84, text(title, { x: 16, y: 26, "font-weight": 600 }), ...cells, ...said);
}

/**
 * What a figure shows, as the text of an SVG with its size in pixels. Nothing without a plot or a table.
 * @param {HTMLElement} figure @param {string} title
 */
export function pictureOf(figure, title) {
  figure.classList.add("paper");
  try {
    const field = figure.querySelector("svg.field-of-view");
    if (field instanceof SVGSVGElement) return pictureOfPlot(figure, field, title);
    const table = figure.querySelector("#plate > table, .frame > table");
    const scale = figure.querySelector(".scale")?.closest(".row")?.textContent?.replace(/\s+/g, " ").trim();
    return table instanceof HTMLTableElement ? pictureOfTable(table, title, scale?.replace(" ", " to ")) : null;
  } finally {
    figure.classList.remove("paper");
  }
}

/**
 * Twice as fine as on the screen.
 * @param {{ text: string, width: number, height: number }} picture @returns {Promise<Blob>}
 */
export async function pngOf({ text: svg, width, height }) {
  const image = new Image(width, height);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [width * 2, height * 2];
  canvas.getContext("2d")?.drawImage(image, 0, 0, width * 2, height * 2);
  return new Promise((done, fail) => {
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("no picture"))), "image/png");
  });
}
