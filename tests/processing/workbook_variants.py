"""Lawful variants of a workbook: what people and spreadsheets do to one, and the numbers stay the same."""

import io
from collections.abc import Callable, Iterator
from typing import Any

import openpyxl

from tests.processing.variants import Variant

Change = Callable[[Any], None]


def turn_sheets_round(workbook: Any) -> None:
    workbook._sheets = workbook._sheets[::-1]
    workbook.active = 0


def put_notes_first(workbook: Any) -> None:
    write_notes(workbook, 0)
    workbook.active = 0


def put_notes_last(workbook: Any) -> None:
    write_notes(workbook, len(workbook.sheetnames))


def write_notes(workbook: Any, place: int) -> None:
    notes = workbook.create_sheet("Notes", place)
    for row in (["Measured for the stability study"], [], ["by", "Ann"], ["see page", 12]):
        notes.append(row)


def add_plate(workbook: Any) -> None:
    """The last sheet again, as of another plate."""
    workbook.copy_worksheet(workbook.worksheets[-1])


def put_row_above(workbook: Any) -> None:
    for sheet in workbook.worksheets:
        sheet.insert_rows(1)


def put_column_before(workbook: Any) -> None:
    for sheet in workbook.worksheets:
        sheet.insert_cols(1)


def put_title_above(workbook: Any) -> None:
    for sheet in workbook.worksheets:
        sheet.insert_rows(1, 2)
        sheet.cell(1, 1, "Stability study, week three")


def write_numbers_as_text(workbook: Any) -> None:
    change_numbers(workbook, repr)


def write_decimal_commas(workbook: Any) -> None:
    change_numbers(workbook, lambda number: repr(number).replace(".", ",") if isinstance(number, float) else number)


def change_numbers(workbook: Any, write: Callable[[Any], Any]) -> None:
    for sheet in workbook.worksheets:
        for row in sheet.iter_rows():
            for cell in row:
                if type(cell.value) in (int, float) and not cell.is_date:
                    cell.value = write(cell.value)


def add_empty_end(workbook: Any) -> None:
    """Rows and columns that hold nothing but a form."""
    for sheet in workbook.worksheets:
        sheet.cell(sheet.max_row + 5, sheet.max_column + 3).number_format = "0.00"


CHANGES: dict[str, Change] = {
    "as it is": lambda _: None,
    "sheets turned round": turn_sheets_round,
    "notes first": put_notes_first,
    "notes last": put_notes_last,
    "a plate more": add_plate,
    "a row above": put_row_above,
    "a column before": put_column_before,
    "a title above": put_title_above,
    "numbers as text": write_numbers_as_text,
    "decimal commas as text": write_decimal_commas,
    "an empty end": add_empty_end,
}


def workbook_variants_of(data: bytes, names: list[str] | None = None) -> Iterator[Variant]:
    """None of a workbook that openpyxl cannot read."""
    for name in names or CHANGES:
        try:
            workbook = openpyxl.load_workbook(io.BytesIO(data))
        except TypeError:  # of its styles
            return
        CHANGES[name](workbook)
        written = io.BytesIO()
        workbook.save(written)
        yield Variant(name, written.getvalue())
