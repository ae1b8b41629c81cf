// Times in the zone of whoever reads: the text of exact ones, and in the title beside what the server wrote there.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const SHAPES = {
  clock: { hour: "2-digit", minute: "2-digit" },
  full: { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
};
SHAPES.second = { ...SHAPES.full, second: "2-digit" };
SHAPES.fraction = { ...SHAPES.second, fractionalSecondDigits: 3 };
const title = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });

/** @param {HTMLTimeElement} time */
function show(time) {
  if (time.dataset.seen) return;
  time.dataset.seen = "1";
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const shape = SHAPES[time.dataset.show ?? ""];
  if (shape) time.textContent = new Intl.DateTimeFormat("sv-SE", shape).format(moment);
  time.title = `${title.format(moment)} ${zone}\n${time.title} at the instrument`;
}

function showAll() {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = document.querySelectorAll("time[datetime]");
  times.forEach(show);
}

document.addEventListener("htmx:afterSettle", showAll);
showAll();
