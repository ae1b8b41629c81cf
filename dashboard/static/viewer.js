// Arrow keys step through the report while the viewer has the focus.

/** @type {Record<string, string>} */
const STEPS = { ArrowLeft: "prev", ArrowRight: "next" };

document.addEventListener("keydown", ({ target, key }) => {
  const viewer = target instanceof Element ? target.closest("[data-viewer]") : null;
  if (!viewer || /** @type {Element} */ (target).closest("input, .frame, .plot, .imager")) return;
  /** @type {HTMLElement | null} */
  const link = viewer.querySelector(`.position [rel=${STEPS[key]}]`);
  link?.click();
});
