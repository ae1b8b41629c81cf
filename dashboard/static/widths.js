// Columns are as wide as one drags them: the widths of all that are shown go into the address, so a view keeps them.

const LEAST = 40; // dashboard/runs/columns.py

/** @param {HTMLTableElement} table @returns {HTMLTableCellElement[]} */
function headsOf(table) {
  /** @type {NodeListOf<HTMLTableCellElement>} */
  const heads = table.querySelectorAll("thead th[data-column]");
  return [...heads].filter((head) => head.getClientRects().length > 0);
}

/** @param {HTMLTableElement} table */
function store(table) {
  const widths = headsOf(table).map((head) => `${head.dataset.column}:${Math.round(head.offsetWidth)}`);
  const address = new URL(window.location.href);
  address.searchParams.set("widths", widths.join(","));
  const { htmx } = /** @type {{ htmx?: { ajax(method: string, url: string, target: string): void } }} */ (
    /** @type {unknown} */ (window)
  );
  if (htmx) htmx.ajax("GET", address.pathname + address.search, "#found");
  else window.location.assign(address);
}

/** @param {PointerEvent} event */
function grab(event) {
  const grip = event.target instanceof Element ? event.target.closest(".grip") : null;
  const head = /** @type {HTMLTableCellElement | null} */ (grip?.closest("th") ?? null);
  const table = head?.closest("table");
  if (!(grip instanceof HTMLElement) || !head || !table) return;
  event.preventDefault();
  const [from, began] = [event.clientX, head.offsetWidth];
  for (const other of headsOf(table)) other.setAttribute("width", String(other.offsetWidth));
  table.classList.add("sized");
  grip.setPointerCapture(event.pointerId);
  /** @param {PointerEvent} now */
  const drag = ({ clientX }) => head.setAttribute("width", String(Math.max(LEAST, began + clientX - from)));
  grip.addEventListener("pointermove", drag);
  grip.addEventListener(
    "lostpointercapture",
    () => {
      grip.removeEventListener("pointermove", drag);
      store(table);
    },
    { once: true },
  );
}

function reveal() {
  /** @type {NodeListOf<HTMLElement>} */
  const grips = document.querySelectorAll(".grip[hidden]");
  for (const grip of grips) grip.hidden = false;
}

document.addEventListener("pointerdown", grab);
document.addEventListener("htmx:afterSettle", reveal);
reveal();
