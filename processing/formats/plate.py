"""Plate maps as artefacts: the format ids-plate/1."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from processing.dataset_making.values import Column, ColumnType, Dataset, DatasetKind, Role, name_of_artefact
from processing.formats.numbers import encode_document, round_number
from processing.readings import Artefact, Json, Kind

FORMAT = "ids-plate/1"
SHAPES = ((2, 3), (3, 4), (4, 6), (6, 8), (8, 12), (16, 24), (32, 48))  # 6, 12, 24, 48, 96, 384, 1536
USUAL_SHAPE = (8, 12)
WELL = re.compile(r"([A-Za-z]{1,2})0*([1-9]\d?)")
ROW_LETTERS = re.compile(r"[A-Z]+")


@dataclass(frozen=True, order=True)
class Well:
    row: int  # from 0
    column: int

    @classmethod
    def parse(cls, text: str) -> "Well | None":
        """A1, A01, AB12; None for anything else."""
        found = WELL.fullmatch(text.strip())
        if found is None:
            return None
        row = 0
        for letter in found[1].upper():
            row = row * 26 + ord(letter) - ord("A") + 1
        return cls(row - 1, int(found[2]) - 1)

    def __str__(self) -> str:
        letters = chr(ord("A") + self.row % 26)
        return f"{chr(ord('A') + self.row // 26 - 1) if self.row >= 26 else ''}{letters}{self.column + 1}"


@dataclass(frozen=True)
class WellValue:
    value: float | None
    sample: str | None = None
    note: str | None = None  # why there is no number: "OVRFLW"
    values: Sequence[float | None] = ()  # one for each step, where the plate has steps

    def as_json(self) -> dict[str, Json]:
        shown: dict[str, Json] = {"value": round_number(self.value)}
        if self.values:
            shown["values"] = [round_number(value) for value in self.values]
        if self.sample:
            shown["sample"] = self.sample
        if self.note:
            shown["note"] = self.note
        return shown


@dataclass(frozen=True)
class Steps:
    """What a slider runs through: times, wavelengths, targets."""

    label: str
    unit: str | None
    values: Sequence[float | str]


@dataclass(frozen=True)
class Plate:
    title: str
    shape: tuple[int, int]
    quantity: str
    unit: str | None
    wells: Mapping[Well, WellValue] = field(default_factory=dict)
    steps: Steps | None = None

    def document(self) -> dict[str, Json]:
        rows, columns = self.shape
        shown: dict[str, Json] = {
            "format": FORMAT,
            "title": self.title,
            "rows": rows,
            "columns": columns,
            "quantity": self.quantity,
            "unit": self.unit,
            "wells": {str(well): self.wells[well].as_json() for well in sorted(self.wells)},
        }
        if self.steps:
            values = [round_number(value) if isinstance(value, float) else value for value in self.steps.values]
            shown["steps"] = {"label": self.steps.label, "unit": self.steps.unit, "values": values}
        return shown

    def artefact(self, name: str) -> Artefact:
        document = encode_document(self.document())
        made = datasets_of_plate(self, name)
        return Artefact(name, Kind.PLATE, "application/json", document, self.title, datasets=made)


def shape_of(wells: Iterable[Well]) -> tuple[int, int] | None:
    """The smallest plate that holds these wells; None beyond 1,536 wells, and for no wells."""
    found = list(wells)
    if not found:
        return None
    rows, columns = max(well.row for well in found) + 1, max(well.column for well in found) + 1
    return next((shape for shape in SHAPES if shape[0] >= rows and shape[1] >= columns), None)


def guess_shape(wells: Iterable[Well]) -> tuple[int, int] | None:
    """Where nothing else tells: of 96 wells or more, unless every well of a smaller plate is there."""
    found = set(wells)
    shape = shape_of(found)
    is_small = shape is not None and shape[1] < USUAL_SHAPE[1]
    return USUAL_SHAPE if shape and is_small and len(found) < shape[0] * shape[1] else shape


def shape_with(well_count: int) -> tuple[int, int] | None:
    """The shape of a plate with that many wells."""
    return next((shape for shape in SHAPES if shape[0] * shape[1] == well_count), None)


def datasets_of_plate(plate: Plate, name: str) -> tuple[Dataset, ...]:
    """Long: well, row, column, the step where there are steps, value, sample, flag."""
    wells = sorted(plate.wells)
    if not wells:
        return ()
    steps: Sequence[Any] = plate.steps.values if plate.steps else [None]
    found = [(well, plate.wells[well], place) for well in wells for place in range(len(steps))]
    names = [str(well) for well, _, _ in found]
    columns = [
        Column("well", names, role=Role.KEY, title="Well"),
        Column("row", [letters_of(name) for name in names], role=Role.LABEL, title="Row"),
        Column("column", [well.column + 1 for well, _, _ in found], role=Role.LABEL, title="Column"),
    ]
    if plate.steps:
        values = [steps[place] for _, _, place in found]
        columns.append(Column(plate.steps.label or "step", values, plate.steps.unit, Role.STEP))
    numbers = [value_at(well, place, steps) for _, well, place in found]
    columns.append(
        Column("value", numbers, plate.unit, Role.VALUE, title=plate.quantity or "Value", type=ColumnType.FLOAT64)
    )
    if any(well.sample for _, well, _ in found):
        columns.append(Column("sample", [well.sample for _, well, _ in found], role=Role.LABEL, title="Sample"))
    columns.append(Column("flag", [well.note for _, well, _ in found], role=Role.LABEL, title="Flag"))
    return (Dataset(name_of_artefact(name), plate.title, DatasetKind.PLATE, columns),)


def letters_of(well: str) -> str:
    found = ROW_LETTERS.match(well)
    return found[0] if found else ""


def value_at(well: WellValue, place: int, steps: Sequence[Any]) -> float | None:
    if len(steps) > 1 or well.values:
        return well.values[place] if place < len(well.values) else None
    return well.value
