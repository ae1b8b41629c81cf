// The bar of what was picked: reached by a key, and found again where one was after its form has been sent.
const SOON = 15_000; // ms: the answer to what was sent; later somebody came by another way
const CONTROLS = ".bulk :is(summary, button):not([hidden])";

/** @returns {HTMLElement[]} */
const controls = () =>
  [...document.querySelectorAll(CONTROLS)].filter(
    /** @returns {one is HTMLElement} */ (one) => one instanceof HTMLElement && one.getClientRects().length > 0,
  );

export const focusBar = () => controls()[0]?.focus();

/** @param {HTMLElement | null} submitter */
export function keepPlace(submitter) {
  const opener = submitter?.closest("details")?.querySelector("summary") ?? submitter;
  const place = { at: Date.now(), url: window.location.href, top: window.scrollY, name: opener?.textContent?.trim() };
  window.sessionStorage.setItem("place", JSON.stringify(place));
}

export function returnToPlace() {
  const kept = window.sessionStorage.getItem("place");
  window.sessionStorage.removeItem("place");
  const { at, url, top, name } = JSON.parse(kept ?? "{}");
  if (url !== window.location.href || Date.now() - at > SOON) return;
  window.scrollTo({ top, behavior: "instant" });
  const named = controls().find((one) => one.textContent?.trim() === name);
  named?.focus({ preventScroll: true });
}
