// A preset ticks its scopes and says when its tokens end, until somebody did by hand.

/** @param {HTMLElement} form */
function start(form) {
  /** @type {NodeListOf<HTMLInputElement>} */
  const boxes = form.querySelectorAll("[name=scopes]");
  let hasChosenEnd = false;

  /** @param {string | undefined} days */
  function endLike(days) {
    /** @type {NodeListOf<HTMLInputElement>} */
    const choices = form.querySelectorAll("[name=ends]");
    for (const choice of choices) choice.checked = choice.value === days;
  }

  function follow() {
    /** @type {HTMLInputElement | null} */
    const chosen = form.querySelector("[name=preset]:checked");
    if (!chosen?.dataset.scopes) return;
    const scopes = chosen.dataset.scopes.split(" ");
    for (const box of boxes) box.checked = scopes.includes(box.value);
  }

  form.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    if (target.name === "preset") follow();
    if (target.name === "preset" && !hasChosenEnd) endLike(target.dataset.ends);
    if (target.name === "ends") hasChosenEnd = true;
    /** @type {HTMLInputElement | null} */
    const own = form.querySelector("[name=preset][value=own]");
    if (target.name === "scopes" && own) own.checked = true;
  });
  follow(); // what was chosen before this script was here counts, too
  /** @type {HTMLInputElement | null} */
  const chosen = form.querySelector("[name=preset]:checked");
  /** @type {HTMLInputElement | null} */
  const end = form.querySelector("[name=ends]:checked");
  hasChosenEnd = !end?.defaultChecked;
  if (chosen && !chosen.defaultChecked && !hasChosenEnd) endLike(chosen.dataset.ends);
}

const form = document.getElementById("token-form");
if (form) start(form);
