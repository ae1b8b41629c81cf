// Lists refresh by themselves for five minutes, then offer "Refresh". Nothing moves under a selection or an open menu.
const EVERY = 10_000;
const LASTS = 300_000;
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
let until = Date.now() + LASTS;

function isBusy() {
  return document.hidden || document.querySelector(".pick:checked, details.menu[open], dialog[open]");
}

function tick() {
  for (const place of document.querySelectorAll("[data-live]")) {
    const isOver = Date.now() >= until;
    if (isOver && place.querySelector(".live")) place.replaceChildren(place.refresh);
    else if (!isOver) wait(place);
    if (!isOver && Date.now() - place.since >= EVERY && !isBusy()) {
      place.since = Date.now();
      window.htmx?.ajax("GET", place.dataset.live, { target: place.dataset.target, source: place });
    }
  }
}

function wait(place) {
  if (place.since) return;
  place.since = Date.now();
  place.refresh = place.firstElementChild;
  const note = document.createElement("span");
  note.className = "live";
  note.textContent = `Refreshes until ${clock.format(until)}`;
  place.replaceChildren(note);
}

tick();
setInterval(tick, 1_000);
document.addEventListener("htmx:afterSettle", tick);
