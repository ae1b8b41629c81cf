// A ZIP that was waited for comes by itself, once.
let waited = document.querySelector("progress") !== null;

document.addEventListener("htmx:afterSettle", () => {
  /** @type {HTMLAnchorElement | null} */
  const link = document.querySelector("[data-fetch]");
  if (!waited || !link) return;
  waited = false;
  link.click();
});
