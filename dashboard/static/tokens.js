// A preset ticks its scopes; ticking by hand is "my own choice". The server does the same without script.

/** @param {HTMLElement} form */
function start(form) {
  /** @type {NodeListOf<HTMLInputElement>} */
  const boxes = form.querySelectorAll("[name=scopes]");

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
    /** @type {HTMLInputElement | null} */
    const own = form.querySelector("[name=preset][value=own]");
    if (target.name === "scopes" && own) own.checked = true;
  });
  follow();
}

const form = document.getElementById("token-form");
if (form) start(form);
