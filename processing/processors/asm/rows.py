"""A document's measurements as rows: each quantity a column, lists within a measurement as further tables."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from processing.formats.table import Cell
from processing.processors.asm.document import MEASUREMENT_KEY, Node, is_cube, is_quantity, nodes_under, walk_nodes

ColumnKey = tuple[str, str | None]  # name and unit
Row = dict[ColumnKey, Cell]
SAMPLE_KEYS = {
    "Sample": ("sample identifier",),
    "Well": ("well location identifier", "location identifier"),
    "Plate": ("well plate identifier",),
}
TIME_COLUMN = ("Time", None)
SKIPPED_KEYS = {"error aggregate document", "calculated data aggregate document", "plate well count", "container type"}
STATISTIC_ROLE_KEY = "has statistic datum role"
SETTINGS_KEY = "device control aggregate document"
LABEL_KEYS = ("written name", "peak name", "analyte name", "name", "index", "identifier role", "dimension identifier")


@dataclass
class Rows:
    """Rows by the table that they belong to, and which columns are settings of the instrument."""

    tables: dict[str, list[Row]] = field(default_factory=dict)
    settings: set[ColumnKey] = field(default_factory=set)


def collect_rows(entries: list[Node], identifiers: set[str]) -> Rows:
    walk = RowCollector(entries, identifiers)
    for entry in entries:
        walk.collect_node(entry, table="", context={})
    return walk.rows


class RowCollector:
    """Goes through the documents of a technique, once."""

    def __init__(self, entries: list[Node], identifiers: set[str]) -> None:
        self.identifiers = identifiers
        self.repeated = {MEASUREMENT_KEY, *repeated_keys(entries)}
        self.rows = Rows()

    def collect_node(self, node: Node, *, table: str, context: Row) -> None:
        """One row for the node, unless it only holds others; then the rows of the lists within."""
        row: Row = {}
        children: list[tuple[str, Node]] = []
        self.collect_values(node, row, children, is_setting=False)
        context = context | context_of(row)
        if table:
            self.rows.tables.setdefault(table, []).append(context | row)
        label = label_of(row) if table not in ("", MEASUREMENT_KEY) else None
        below = context if label is None else context | {("In", None): label}
        for key, child in children:
            if key == MEASUREMENT_KEY:
                self.collect_node(
                    child, table=key, context=below | row
                )  # what is said of a group holds for its measurements
            elif holds_measurements(child):
                self.collect_node(child, table="", context=below | row)
            else:
                self.collect_node(child, table=key, context=below)

    def collect_values(self, node: Node, row: Row, children: list[tuple[str, Node]], *, is_setting: bool) -> None:
        for key, value in node.items():
            if key in SKIPPED_KEYS or is_cube(value):
                continue
            if is_quantity(value):
                self.set_value(row, (key, value.get("unit")), value["value"], is_setting=is_setting)
                if STATISTIC_ROLE_KEY in value:
                    self.set_value(row, (f"{key}, statistic", None), value[STATISTIC_ROLE_KEY], is_setting=is_setting)
            elif isinstance(value, dict):
                self.collect_values(value, row, children, is_setting=is_setting or key == SETTINGS_KEY)
            elif isinstance(value, list):
                self.collect_list(key, value, row, children, is_setting=is_setting)
            elif not is_setting and value not in self.identifiers:
                self.set_value(row, (key, None), value, is_setting=False)

    def collect_list(
        self, key: str, value: list[object], row: Row, children: list[tuple[str, Node]], *, is_setting: bool
    ) -> None:
        objects = [inner for inner in value if isinstance(inner, dict)]
        if key in self.repeated:
            children += [(key, inner) for inner in objects]
        elif objects:
            self.collect_values(objects[0], row, children, is_setting=is_setting)
        elif value:
            self.set_value(row, (key, None), ", ".join(map(str, value)), is_setting=is_setting)

    def set_value(self, row: Row, key: ColumnKey, value: Cell, *, is_setting: bool) -> None:
        row.setdefault(key, value)
        if is_setting:
            self.rows.settings.add(key)


def holds_measurements(node: Node) -> bool:
    return next(nodes_under(node, MEASUREMENT_KEY), None) is not None


def repeated_keys(entries: list[Node]) -> Iterator[str]:
    """Keys of lists that hold several objects anywhere, or that hold themselves: each becomes a table.

    A population within a population is a row of its own, even where every list holds but one.
    """
    for _, node in walk_nodes({"": entries}):
        for key, value in node.items():
            objects = [inner for inner in value if isinstance(inner, dict)] if isinstance(value, list) and key else []
            if len(objects) > 1 or (objects and next(nodes_under(list(objects[0].values()), key), None) is not None):
                yield key


def context_of(row: Row) -> Row:
    """Sample, well, plate and time of a row, taken out of it."""
    found: Row = {}
    for name, keys in SAMPLE_KEYS.items():
        stated = [row.pop((key, None)) for key in keys if (key, None) in row]
        if stated:
            found[name, None] = stated[0]
    if ("measurement time", None) in row:
        found[TIME_COLUMN] = row.pop(("measurement time", None))
    return found


def label_of(row: Row) -> Cell:
    """By what a person tells this row from its neighbours."""
    named = [value for (name, _), value in row.items() if name in LABEL_KEYS or name.endswith((" name", " identifier"))]
    return next((value for value in named if isinstance(value, str)), None)
