// A preset ticks its scopes; ticking by hand is "my own choice". The server does the same without script.
const form = document.getElementById("token-form");
const boxes = [...form.querySelectorAll("[name=scopes]")];

function follow() {
  const chosen = form.querySelector("[name=preset]:checked");
  if (!chosen?.dataset.scopes) return;
  const scopes = chosen.dataset.scopes.split(" ");
  for (const box of boxes) box.checked = scopes.includes(box.value);
}

form.addEventListener("change", ({ target }) => {
  if (target.name === "preset") follow();
  if (target.name === "scopes") form.querySelector("[name=preset][value=own]").checked = true;
});
follow();
