"""A document's measurements as rows: each quantity a column, lists within a measurement as further tables."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from processing.formats.table import Cell
from processing.processors.asm.document import MEASUREMENTS, Node, is_cube, is_quantity, nodes, under

ColumnKey = tuple[str, str | None]  # name and unit
Row = dict[ColumnKey, Cell]
SAMPLE_KEYS = {
    "Sample": ("sample identifier",),
    "Well": ("well location identifier", "location identifier"),
    "Plate": ("well plate identifier",),
}
TIME = ("Time", None)
SKIPPED = {"error aggregate document", "calculated data aggregate document", "plate well count", "container type"}
ROLE = "has statistic datum role"
SETTINGS = "device control aggregate document"
LABELS = ("written name", "peak name", "analyte name", "name", "index", "identifier role", "dimension identifier")


@dataclass
class Rows:
    """Rows by the table that they belong to, and which columns are settings of the instrument."""

    tables: dict[str, list[Row]] = field(default_factory=dict)
    settings: set[ColumnKey] = field(default_factory=set)


def rows_of(entries: list[Node], identifiers: set[str]) -> Rows:
    walk = Walk(entries, identifiers)
    for entry in entries:
        walk.take(entry, table="", context={})
    return walk.rows


class Walk:
    """Goes through the documents of a technique, once."""

    def __init__(self, entries: list[Node], identifiers: set[str]) -> None:
        self.identifiers = identifiers
        self.repeated = {MEASUREMENTS, *repeated_keys(entries)}
        self.rows = Rows()

    def take(self, node: Node, *, table: str, context: Row) -> None:
        """One row for the node, unless it only holds others; then the rows of the lists within."""
        row: Row = {}
        children: list[tuple[str, Node]] = []
        self.gather(node, row, children, is_setting=False)
        context = context | context_of(row)
        if table:
            self.rows.tables.setdefault(table, []).append(context | row)
        label = label_of(row) if table not in ("", MEASUREMENTS) else None
        below = context if label is None else context | {("In", None): label}
        for key, child in children:
            if key == MEASUREMENTS:
                self.take(child, table=key, context=below | row)  # what is said of a group holds for its measurements
            elif holds_measurements(child):
                self.take(child, table="", context=below | row)
            else:
                self.take(child, table=key, context=below)

    def gather(self, node: Node, row: Row, children: list[tuple[str, Node]], *, is_setting: bool) -> None:
        for key, value in node.items():
            if key in SKIPPED or is_cube(value):
                continue
            if is_quantity(value):
                self.put(row, (key, value.get("unit")), value["value"], is_setting=is_setting)
                if ROLE in value:
                    self.put(row, (f"{key}, statistic", None), value[ROLE], is_setting=is_setting)
            elif isinstance(value, dict):
                self.gather(value, row, children, is_setting=is_setting or key == SETTINGS)
            elif isinstance(value, list):
                self.gather_list(key, value, row, children, is_setting=is_setting)
            elif not is_setting and value not in self.identifiers:
                self.put(row, (key, None), value, is_setting=False)

    def gather_list(
        self, key: str, value: list[object], row: Row, children: list[tuple[str, Node]], *, is_setting: bool
    ) -> None:
        objects = [inner for inner in value if isinstance(inner, dict)]
        if key in self.repeated:
            children += [(key, inner) for inner in objects]
        elif objects:
            self.gather(objects[0], row, children, is_setting=is_setting)
        elif value:
            self.put(row, (key, None), ", ".join(map(str, value)), is_setting=is_setting)

    def put(self, row: Row, key: ColumnKey, value: Cell, *, is_setting: bool) -> None:
        row.setdefault(key, value)
        if is_setting:
            self.rows.settings.add(key)


def holds_measurements(node: Node) -> bool:
    return next(under(node, MEASUREMENTS), None) is not None


def repeated_keys(entries: list[Node]) -> Iterator[str]:
    """Keys of lists that hold several objects anywhere: each becomes a table."""
    for _, node in nodes({"": entries}):
        for key, value in node.items():
            if isinstance(value, list) and sum(isinstance(inner, dict) for inner in value) > 1 and key:
                yield key


def context_of(row: Row) -> Row:
    """Sample, well, plate and time of a row, taken out of it."""
    found: Row = {}
    for name, keys in SAMPLE_KEYS.items():
        stated = [row.pop((key, None)) for key in keys if (key, None) in row]
        if stated:
            found[name, None] = stated[0]
    if ("measurement time", None) in row:
        found[TIME] = row.pop(("measurement time", None))
    return found


def label_of(row: Row) -> Cell:
    """By what a person tells this row from its neighbours."""
    named = [value for (name, _), value in row.items() if name in LABELS or name.endswith((" name", " identifier"))]
    return next((value for value in named if isinstance(value, str)), None)
