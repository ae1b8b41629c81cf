// The tour, a step at a time. However it is left, it is not offered again.
const tour = /** @type {HTMLDialogElement | null} */ (document.getElementById("tour"));

/** @param {HTMLDialogElement} dialog */
function start(dialog) {
  /** @type {NodeListOf<HTMLElement>} */
  const steps = dialog.querySelectorAll(".step");
  /** @param {string} name @returns {HTMLElement | null} */
  const button = (name) => dialog.querySelector(`[data-tour=${name}]`);
  const place = dialog.querySelector("[data-place]");
  let now = 0;

  /** @param {number} step */
  function show(step) {
    now = Math.max(0, Math.min(steps.length - 1, step));
    for (const [number, one] of steps.entries()) one.hidden = number !== now;
    const isLast = now === steps.length - 1;
    for (const [name, isShown] of Object.entries({ back: now > 0, next: !isLast, end: isLast })) {
      const one = button(name);
      if (one) one.hidden = !isShown;
    }
    if (place) place.textContent = `${now + 1} of ${steps.length}`;
  }

  /** @param {number} step */
  function go(step) {
    show(step);
    steps[now].focus();
  }

  function leave() {
    show(0);
    document.querySelector(".tour-offer")?.remove();
    const form = dialog.querySelector("form");
    if (form) fetch(form.action, { method: "POST", body: new FormData(form), headers: { "HX-Request": "true" } });
  }

  button("next")?.addEventListener("click", () => go(now + 1));
  button("back")?.addEventListener("click", () => go(now - 1));
  dialog.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowRight") go(now + 1);
    if (key === "ArrowLeft") go(now - 1);
  });
  dialog.addEventListener("submit", (event) => {
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("close", leave);
  show(0);
}

document.addEventListener("click", ({ target }) => {
  if (target instanceof Element && target.closest("[data-instead]")) target.closest("dialog")?.close();
});
if (tour) start(tour);
