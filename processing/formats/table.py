"""Tables as artefacts: the format ids-table/1."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from processing.dataset_making.values import Column as DatasetColumn
from processing.dataset_making.values import Dataset, DatasetKind, Role, name_of_artefact
from processing.formats.numbers import encode_document, round_number
from processing.readings import MAX_ARTEFACT_BYTES, Artefact, Json, Kind

FORMAT = "ids-table/1"
MAX_ROWS = 5_000
MAX_COLUMNS = 200
MAX_CELL_CHARACTERS = 500

Cell = None | bool | int | float | str


@dataclass(frozen=True)
class Column:
    """`name` is what scripts know; `title`, where it is given, what people read."""

    name: str
    unit: str | None = None
    title: str = ""

    def as_json(self) -> dict[str, Json]:
        titled: dict[str, Json] = {"title": self.title} if self.title not in ("", self.name) else {}
        return {"name": self.name, "unit": self.unit} | titled


@dataclass(frozen=True)
class Table:
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    total_rows: int | None = None  # where `rows` holds the first ones only

    def document(self, *, most: int = MAX_ROWS) -> dict[str, Json]:
        """The first 5,000 rows and 200 columns; the total is always said."""
        return {
            "format": FORMAT,
            "title": self.title,
            "columns": [column.as_json() for column in self.columns[:MAX_COLUMNS]],
            "rows": [[shorten_cell(cell) for cell in row[:MAX_COLUMNS]] for row in self.rows[:most]],
            "total_rows": len(self.rows) if self.total_rows is None else self.total_rows,
        }

    def artefact(self, name: str) -> Artefact:
        """With as many of the first rows as an artefact may hold."""
        most = MAX_ROWS
        while len(data := encode_document(self.document(most=most))) > MAX_ARTEFACT_BYTES:
            most //= 2
        return Artefact(name, Kind.TABLE, "application/json", data, self.title, datasets=datasets_of_table(self, name))


def shorten_cell(cell: Cell) -> Cell:
    return cell[:MAX_CELL_CHARACTERS] if isinstance(cell, str) else round_number(cell)


def datasets_of_table(table: Table, name: str) -> tuple[Dataset, ...]:
    """As it is; none where only its first rows were given."""
    is_whole = table.total_rows is None or table.total_rows <= len(table.rows)
    if not table.columns or not table.rows or not is_whole:
        return ()
    columns = [
        DatasetColumn(
            column.name,
            [row[place] if place < len(row) else None for row in table.rows],
            column.unit,
            title=column.title,
        )
        for place, column in enumerate(table.columns)
    ]
    shown = [with_role(column) for column in columns]
    return (Dataset(name_of_artefact(name), table.title, DatasetKind.TABLE, shown),)


def with_role(column: DatasetColumn) -> DatasetColumn:
    """Numbers are values, everything else labels."""
    known = [value for value in column.values if value is not None]
    is_number = bool(known) and all(isinstance(value, int | float) and value is not True for value in known)
    return replace(column, role=Role.VALUE if is_number else Role.LABEL)
