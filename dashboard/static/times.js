// Times in the zone of whoever reads: the text of exact ones, and in the title beside what the server wrote there.
// Which it is the person chose, or the browser says; the service, which counts days, is told of the latter by a cookie.
const YEAR = 31_536_000;
const ofBrowser = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zone = choose(document.body.dataset.timeZone) ?? ofBrowser;
// biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store works over https only
document.cookie = `time_zone=${ofBrowser}; path=/; max-age=${YEAR}; samesite=lax`;

/** @param {string | undefined} name */
function choose(name) {
  try {
    return name ? new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone : undefined;
  } catch {
    return undefined; // newer than this browser
  }
}

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const SHAPES = {
  clock: { hour: "2-digit", minute: "2-digit" },
  full: { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
};
SHAPES.second = { ...SHAPES.full, second: "2-digit" };
SHAPES.fraction = { ...SHAPES.second, fractionalSecondDigits: 3 };
const exact = new Intl.DateTimeFormat("sv-SE", { ...SHAPES.full, timeZone: zone, timeZoneName: "shortOffset" });
const title = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium", timeZone: zone });

/** @param {HTMLTimeElement} time */
function show(time) {
  if (time.dataset.seen) return;
  time.dataset.seen = "1";
  const moment = new Date(time.dateTime);
  if (Number.isNaN(moment.getTime())) return;
  const shape = SHAPES[time.dataset.show ?? ""];
  if (shape)
    time.textContent = new Intl.DateTimeFormat("sv-SE", { ...shape, timeZone: zone }).format(moment).replace(",", ".");
  time.dataset.exact = exact.format(moment); // for paper
  time.title = `${title.format(moment)} ${zone}\n${time.title} at the instrument`;
}

function showAll() {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = document.querySelectorAll("time[datetime]");
  times.forEach(show);
}

document.addEventListener("htmx:afterSettle", showAll);
showAll();
