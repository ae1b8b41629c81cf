// Passkeys: the one part of signing in that needs script. Forms marked data-passkey ask the browser, then are sent.
const options = document.getElementById("passkey-options")?.textContent;

/** @param {string | undefined} kind @param {any} publicKey */
async function ask(kind, publicKey) {
  if (kind === "create") {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const field = form.querySelector("[name=credential]");
  const told = form.querySelector("[role=alert]");
  try {
    const made = await ask(form.dataset.passkey, JSON.parse(options ?? "{}").publicKey);
    if (!(made instanceof PublicKeyCredential) || !(field instanceof HTMLInputElement)) return;
    field.value = JSON.stringify(made.toJSON());
    form.submit();
  } catch {
    if (told) told.textContent = "The browser gave no passkey. Try again, or use a code.";
  }
}

if (options && typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON === "function") {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    if (!(form instanceof HTMLFormElement)) continue;
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      send(form);
    });
  }
  for (const none of document.querySelectorAll("[data-passkey-none]")) none.remove();
}
