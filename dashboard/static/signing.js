// Signing a run with a passkey: the service says what it is asked, the browser asks it, the form takes the answer.
import { ask, Refused } from "./sending.js";

const button = document.querySelector("button[data-sign]");
const form = button?.closest("form");
const told = form?.querySelector("[data-told]");

/** @param {HTMLFormElement} form */
async function sign(form) {
  const field = /** @type {HTMLInputElement} */ (form.elements.namedItem("passkey"));
  const data = new FormData(form);
  const token = String(data.get("csrfmiddlewaretoken"));
  const question = await ask({ url: "", partBytes: 0, token, addresses: form.dataset }, form.dataset.question ?? "", {
    meaning: data.get("meaning"),
  });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(question.public_key);
  const made = await navigator.credentials.get({ publicKey });
  if (!(made instanceof PublicKeyCredential)) throw new Error("no passkey");
  field.value = JSON.stringify(made.toJSON());
  form.submit(); // without the password, which is asked of those who bring no passkey
}

/** @param {unknown} fault */
function tell(fault) {
  if (!told) return;
  told.textContent =
    fault instanceof Refused ? fault.message : "The browser gave no passkey. Try again, or sign another way.";
}

if (
  button instanceof HTMLButtonElement &&
  form instanceof HTMLFormElement &&
  typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === "function"
) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const meaning = form.elements.namedItem("meaning");
    if (meaning instanceof HTMLSelectElement && !meaning.reportValidity()) return;
    if (button.ariaBusy === "true") return; // not disabled: that would take the keyboard's place away
    button.ariaBusy = "true";
    if (told) told.textContent = "";
    await sign(form).catch(tell);
    button.ariaBusy = "false";
  });
}
