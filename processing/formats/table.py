"""Tables as artefacts: the format ids-table/1."""

from collections.abc import Sequence
from dataclasses import dataclass

from processing.formats.numbers import encode, rounded
from processing.readings import MOST_ARTEFACT_BYTES, Artefact, Json, Kind

FORMAT = "ids-table/1"
MOST_ROWS = 5_000
MOST_COLUMNS = 200
MOST_CELL_CHARACTERS = 500

Cell = None | bool | int | float | str


@dataclass(frozen=True)
class Column:
    name: str
    unit: str | None = None

    def as_json(self) -> dict[str, Json]:
        return {"name": self.name, "unit": self.unit}


@dataclass(frozen=True)
class Table:
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    total_rows: int | None = None  # where `rows` holds the first ones only

    def document(self, *, most: int = MOST_ROWS) -> dict[str, Json]:
        """The first 5,000 rows and 200 columns; the total is always said."""
        return {
            "format": FORMAT,
            "title": self.title,
            "columns": [column.as_json() for column in self.columns[:MOST_COLUMNS]],
            "rows": [[shown(cell) for cell in row[:MOST_COLUMNS]] for row in self.rows[:most]],
            "total_rows": len(self.rows) if self.total_rows is None else self.total_rows,
        }

    def artefact(self, name: str) -> Artefact:
        """With as many of the first rows as an artefact may hold."""
        most = MOST_ROWS
        while len(data := encode(self.document(most=most))) > MOST_ARTEFACT_BYTES:
            most //= 2
        return Artefact(name, Kind.TABLE, "application/json", data, self.title)


def shown(cell: Cell) -> Cell:
    return cell[:MOST_CELL_CHARACTERS] if isinstance(cell, str) else rounded(cell)
