// Tables in the order of a column: of all rows that the document holds, as many as the page shows.

/** @typedef {import("./sheet.js").Cell} Cell */
/** @typedef {import("./sheet.js").Table} Document */
const MAX_ROWS = 200;
const MAX_COLUMNS = 40;
const LONG = 40;
const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d|)$/;
const PLAIN = /^[-+\u2212]?[\d,]+(\.\d+)?$/;
const natural = new Intl.Collator("en", { numeric: true });

const MASS = /\bm\/z$|\bmass(?: difference)?$/i; // whose fifth digit still tells one molecule from another

/** As files/drawing/table.py writes a cell. @param {Cell} value @param {string} [column] its name */
export function written(value, column = "") {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value) : rounded(value, MASS.test(column));
  const moment = MOMENT.exec(value);
  return moment
    ? `${moment[1]} ${moment[2]} ${["Z", "+00:00"].includes(moment[3]) ? "UTC" : moment[3]}`.trimEnd()
    : value;
}

/** Four significant digits, of a mass seven. @param {number} value @param {boolean} isMass */
function rounded(value, isMass) {
  const size = Math.abs(value);
  if (isMass && size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(7)));
  if (size && (size < 1e-3 || size >= 1e6)) return Number(value.toPrecision(3)).toExponential();
  return value.toLocaleString("en", size < 1e4 ? { maximumSignificantDigits: 4 } : { maximumFractionDigits: 0 });
}

/** What says nothing stands last, whichever way. @param {Cell} one @param {Cell} other @param {number} way */
function compare(one, other, way) {
  const [isEmpty, isOtherEmpty] = [one, other].map((value) => value === null || value === undefined || value === "");
  if (isEmpty || isOtherEmpty) return Number(isEmpty) - Number(isOtherEmpty);
  if (typeof one === "number" && typeof other === "number") return way * (one - other);
  if (typeof one !== typeof other) return way * (typeof one === "number" ? -1 : 1);
  return way * natural.compare(String(one), String(other));
}

/** @param {Cell} value @param {string} column */
function cellOf(value, column) {
  const made = document.createElement("td");
  made.textContent = written(value, column);
  if (typeof value === "number") made.className = "num";
  else if (made.textContent.length > LONG) made.className = "long";
  return made;
}

/** As files/drawing/decimals.py fills the numbers of a column. @param {HTMLTableCellElement[]} cells */
function align(cells) {
  const plain = cells.filter((cell) => cell.className === "num" && PLAIN.test(cell.textContent));
  const fractions = plain.map((cell) => PLAIN.exec(cell.textContent)?.[1] ?? "");
  const longest = Math.max(0, ...fractions.map((fraction) => fraction.length));
  for (const [place, cell] of plain.entries()) {
    const filler = ".".padEnd(longest, "0").slice(fractions[place].length, longest);
    if (!filler) continue;
    const made = document.createElement("span");
    made.dataset.filler = filler;
    made.append(...cell.childNodes);
    cell.append(made);
  }
}

/**
 * @param {HTMLTableElement} table @param {Document} data @param {number} place
 * @param {number} way 1 up, -1 down, 0 as in the file
 */
function show(table, data, place, way) {
  const rows = way ? data.rows.toSorted((one, other) => compare(one[place], other[place], way)) : data.rows;
  const made = rows.slice(0, MAX_ROWS).map((row) => {
    const line = document.createElement("tr");
    line.append(...row.slice(0, MAX_COLUMNS).map((cell, at) => cellOf(cell, data.columns[at]?.name ?? "")));
    return line;
  });
  const heads = table.tHead?.rows[0].cells.length ?? 0;
  for (let one = 0; one < heads; one++) align(made.flatMap(({ cells }) => cells[one] ?? []));
  table.tBodies[0].replaceChildren(...made);
}

/** Up, down, then as in the file again. @param {HTMLElement} head */
const nextWay = (head) => ({ ascending: -1, descending: 0 })[head.ariaSort ?? ""] ?? 1;

/** @param {HTMLTableElement} table */
function start(table) {
  table.dataset.state = "ready";
  /** @type {Promise<Document> | undefined} */
  let document_;
  async function read() {
    const answer = await fetch(table.dataset.table ?? "", { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`The service answered ${answer.status}.`);
    return /** @type {Promise<Document>} */ (answer.json());
  }
  const heads = [...(table.tHead?.rows[0].cells ?? [])];
  for (const [place, head] of heads.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", async () => {
      document_ ??= read();
      const data = await document_.catch(() => null);
      if (!data) {
        document_ = undefined;
        const detail = { text: "The rows did not come.", act: "Try again", then: () => button.click() };
        document.dispatchEvent(new CustomEvent("ids:failed", { detail }));
        return;
      }
      const way = nextWay(head); // of who pressed twice before the rows came, too
      show(table, data, place, way);
      for (const one of heads) one.removeAttribute("aria-sort");
      if (way) head.ariaSort = way > 0 ? "ascending" : "descending";
    });
  }
}

function startAll() {
  /** @type {NodeListOf<HTMLTableElement>} */
  const tables = document.querySelectorAll("table[data-table]:not([data-state])");
  for (const table of tables) start(table);
}

document.addEventListener("htmx:afterSettle", startAll);
startAll();
