// Parts of a page marked data-live refresh by themselves for five minutes, then "Refresh" is offered; on a page
// marked data-live-for-ever they never end.
// Nothing changes under a selection, an open menu, what is being typed, or whatever has the focus.
const SIGN_IN = "/accounts/login/";
const EVERY = 10_000;
const LASTS = 300_000;
const BUSY = ".pick:checked, details[open], textarea:not(.menu textarea)"; // a closed menu holds nothing up
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const until = "liveForEver" in document.body.dataset ? Infinity : Date.now() + LASTS;
let since = Date.now();
let swaps = 0;

/** The link that a note offers in the end. @type {WeakMap<Element, Element | null>} */
const offers = new WeakMap();

/** @param {Element} part */
const isBusy = (part) => part.contains(document.activeElement) || part.querySelector(BUSY) !== null;
const isAway = () => document.hidden || document.querySelector("dialog[open], details.menu[open]") !== null;

/** @param {boolean} isOver */
function note(isOver) {
  for (const place of document.querySelectorAll("[data-live-note]")) {
    const offer = offers.get(place) ?? place.firstElementChild;
    if (!offer) continue;
    offers.set(place, offer);
    if (isOver) {
      if (place.firstElementChild !== offer) place.replaceChildren(offer);
    } else if (place.firstElementChild === offer) {
      const text = document.createElement("span");
      text.className = "live";
      text.textContent = `Refreshes until ${clock.format(until)}`;
      place.replaceChildren(text);
    }
  }
}

/** @param {HTMLElement} part @param {HTMLElement | null} fresh */
function put(part, fresh) {
  if (!fresh || isBusy(part) || (fresh.dataset.state && fresh.dataset.state === part.dataset.state)) return;
  for (const fold of part.querySelectorAll(".group-fold :checked")) {
    const same = fresh.querySelector(`.group-fold [aria-label="${CSS.escape(fold.ariaLabel ?? "")}"]`);
    if (same instanceof HTMLInputElement) same.checked = true;
  }
  part.replaceWith(fresh);
  /** @type {{ process(part: Element): void } | undefined} */
  const htmx = Reflect.get(window, "htmx");
  htmx?.process(fresh);
  fresh.dispatchEvent(new CustomEvent("htmx:afterSettle", { bubbles: true }));
}

async function refresh() {
  const asked = { address: window.location.href, swaps };
  const answer = await fetch(asked.address, { headers: { Accept: "text/html" } }).catch(() => null);
  if (answer?.redirected && new URL(answer.url).pathname === SIGN_IN)
    document.dispatchEvent(new Event("ids:signed-out"));
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const isLate = asked.address !== window.location.href || asked.swaps !== swaps;
  if (isLate || document.querySelector(".htmx-request")) return; // somebody looks for something else by now
  /** @type {HTMLElement[]} */
  const parts = [...document.querySelectorAll("[data-live]")].filter((part) => part instanceof HTMLElement);
  if (parts.some((part) => !page.getElementById(part.id))) window.location.reload();
  else for (const part of parts) put(part, page.getElementById(part.id));
}

function tick() {
  const isOver = Date.now() >= until;
  note(isOver);
  if (isOver || isAway() || Date.now() - since < EVERY) return;
  since = Date.now();
  refresh();
}

tick();
setInterval(tick, 1_000);
document.addEventListener("htmx:afterSettle", tick);
document.addEventListener("htmx:afterSwap", () => {
  swaps += 1;
});
