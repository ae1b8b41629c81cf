"""Tables of an Allotrope document: its measurements, the lists within them, and what was calculated from them."""

import re
from collections.abc import Callable

from processing.formats.table import Column, Table
from processing.processors.asm.document import MEASUREMENT_KEY, Node, first_text, nodes_under
from processing.processors.asm.rows import ColumnKey, Row, collect_rows
from processing.readings import Artefact

CONTEXT_COLUMNS = ("Sample", "Well", "Plate", "Time", "In")
MAX_CHILD_TABLES = 12
MAX_CALCULATED_TABLES = 12
SETTING_WORDS = re.compile(
    r"\b(?:setting|threshold|factor|bandwidth|gain|averages|ambient|compartment|view volume|spotsize)\b"
    r"|^(?:min|max)\. ",
    re.IGNORECASE,
)
RESULT_WORDS = re.compile(r"\bresult\b|asymmetry factor", re.IGNORECASE)
OPAQUE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+", re.IGNORECASE)  # which only programs tell apart
OPAQUE_NAMES = {"well identifier", "measurement identifier", "experimental data identifier", "injection identifier"}
MIN_ROWS_FOR_CONSTANTS = 3  # of fewer rows two may agree by chance
TECHNIQUE_SUFFIX = re.compile(r" \((?:cell counter|plate reader|qPCR|dPCR|chromatography)\)$")
FIELD_WORDS = {
    "cycle threshold result (qPCR)": "Cq",
    "normalized reporter result": "Rn",
    "baseline corrected reporter result": "ΔRn",
    "target DNA description": "Target",
    "sample role type": "Role",
    "analyte name": "Analyte",
    "peak name": "Peak",
    "image feature name": "Feature",
    "image feature result": "Result",
}
FIRST_RESULTS = ("retention time", "cycle threshold result (qPCR)", "peak area", "relative peak area", "peak height")
IDENTITY, RESULT, REMARK, SETTING, CONSTANT = 10, 20, 25, 30, 35
PLACES = re.compile(r"^(?:source|destination) .*identifier$")  # a transfer is told by both of its ends
NAMING_WORDS = re.compile(r"\b(?:name|identifier|description|index|role)\b")
DOCUMENT_SUFFIX = re.compile(r" document$")
RowFinder = Callable[[str], Row]  # sample, well and plate of what an identifier stands for


def tables_of(entries: list[Node], identifiers: set[str]) -> list[Artefact]:
    """The measurements first, then each list within them, the longest first; those without a result last."""
    rows = collect_rows(entries, identifiers)
    shown = {name: columns_of(found, settings=rows.settings) for name, found in rows.tables.items()}

    def place(name: str) -> tuple[bool, bool, int, str]:
        found = rows.tables[name]
        has_result = any(IDENTITY < rank_column(key, found, settings=rows.settings) <= RESULT for key in shown[name])
        return not has_result, name != MEASUREMENT_KEY, -len(found), name

    made = []
    for name in sorted(rows.tables, key=place)[: MAX_CHILD_TABLES + 1]:
        found, columns = rows.tables[name], shown[name]
        if len([key for key in columns if key[0] not in CONTEXT_COLUMNS]) == 0:
            continue
        title = pluralise(DOCUMENT_SUFFIX.sub("", name)).capitalize()
        made.append(build_table(title, columns, found).artefact(f"{slug_of(title)}.json"))
    return made


def pluralise(noun: str) -> str:
    if noun.endswith(("ex", "ix")):
        return f"{noun[:-2]}ices"
    return noun if noun.endswith("s") else f"{noun}s"


def columns_of(rows: list[Row], *, settings: set[ColumnKey]) -> list[ColumnKey]:
    """Where, then what tells rows apart, results, words, settings, constants; words that never change are left out.

    From where to where something was taken is kept.
    """
    seen = dict.fromkeys(key for row in rows for key in row)
    ranks = {key: rank_column(key, rows, settings=settings) for key in seen}
    kept = [key for key in seen if ranks[key] >= 0]
    return sorted(kept, key=lambda key: ranks[key])


def rank_column(key: ColumnKey, rows: list[Row], *, settings: set[ColumnKey]) -> int:
    name, unit = key
    if name in CONTEXT_COLUMNS and unit is None:
        return rank_context(key, rows)
    found = {str(row.get(key)) for row in rows if row.get(key) is not None}
    if unit is not None:
        if key in settings or (SETTING_WORDS.search(name) and not RESULT_WORDS.search(name)):
            return SETTING
        if len(found) <= 1 and len(rows) >= MIN_ROWS_FOR_CONSTANTS:
            return CONSTANT
        return IDENTITY + 1 + FIRST_RESULTS.index(name) if name in FIRST_RESULTS else RESULT
    if len(found) <= 1 < len(rows):
        return CONSTANT if found and PLACES.search(name) else -1
    is_opaque = name in OPAQUE_NAMES or all(OPAQUE.fullmatch(text) for text in found)
    return IDENTITY if NAMING_WORDS.search(name) and not is_opaque else REMARK


def rank_context(key: ColumnKey, rows: list[Row]) -> int:
    """Sample and well first; plate and time too, unless they are one for many rows and would take the results' room."""
    found = {str(row[key]) for row in rows if row.get(key) is not None}
    if not found:
        return -1
    is_constant = key[0] in ("Plate", "Time") and len(found) == 1 and len(rows) >= MIN_ROWS_FOR_CONSTANTS
    return CONSTANT + 1 if is_constant else CONTEXT_COLUMNS.index(key[0])


def build_table(title: str, columns: list[ColumnKey], rows: list[Row]) -> Table:
    shown = [Column(name, unit, title_of(name)) for name, unit in columns]
    return Table(title, shown, [[row.get(key) for key in columns] for row in rows])


def title_of(name: str) -> str:
    """As the field says it: Viability for viability (cell counter); pH and mAU as they are."""
    title = FIELD_WORDS.get(name) or TECHNIQUE_SUFFIX.sub("", name.replace("_", " ").strip()) or name
    return title if title[1:2].isupper() else f"{title[:1].upper()}{title[1:]}"


def calculated_tables(aggregate: Node, *, place: RowFinder) -> list[Artefact]:
    """One for each name of a calculated quantity; one for all where there are many names."""
    by_name: dict[str, list[Row]] = {}
    for document in nodes_under(aggregate, "calculated data document"):
        name = str(document.get("calculated data name") or "Calculated")
        by_name.setdefault(name, []).append(calculated_row(name, document, place=place))
    if len(by_name) > MAX_CALCULATED_TABLES:
        rows = [
            {("Name", None): name, **rename_value_column(row, name)} for name, found in by_name.items() for row in found
        ]
        return [calculated_table("Calculated", rows, name="calculated.json")]
    slugs: dict[str, int] = {}
    made = []
    for name, rows in by_name.items():
        slug = slug_of(name) or "value"
        slugs[slug] = slugs.get(slug, 0) + 1
        suffix = f"-{slugs[slug]}" if slugs[slug] > 1 else ""
        made.append(calculated_table(name, rows, name=f"calculated-{slug}{suffix}.json"))
    return made


def calculated_table(title: str, rows: list[Row], *, name: str) -> Artefact:
    order = ("Name", *CONTEXT_COLUMNS, "Calculated from")
    seen = dict.fromkeys(key for row in rows for key in row)
    columns = [key for key in seen if any(row.get(key) is not None for row in rows)]
    columns.sort(key=lambda key: order.index(key[0]) if key[0] in order else len(order) - 1.5)
    return build_table(title, columns, rows).artefact(name)


def calculated_row(name: str, document: Node, *, place: RowFinder) -> Row:
    result = document.get("calculated result") or document.get("calculated datum") or {}
    sources = list(nodes_under(document, "data source document"))
    identifier = first_text(sources[0], "data source identifier") if sources else None
    features = sorted({str(source["data source feature"]) for source in sources if source.get("data source feature")})
    row = dict(place(identifier)) if identifier else {}
    row[name, result.get("unit")] = result.get("value")
    if features:
        row["Calculated from", None] = ", ".join(features)
    return row


def rename_value_column(row: Row, name: str) -> Row:
    return {("Value" if key[0] == name else key[0], key[1]): value for key, value in row.items()}


def slug_of(text: str) -> str:
    """Plain, short, and the same for the same text: part of an artefact's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40].strip("-")
