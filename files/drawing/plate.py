"""ids-plate/1 as a table of wells: eight steps of colour, the number in the well, hatched where there is none."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from files.drawing.documents import (
    NotDrawable,
    format_number,
    number_or_none,
    shorten_exponent,
    text_or_empty,
    unit_or_empty,
)
from files.drawing.plate_groups import ROLES, find_role, group_replicates
from files.drawing.small_multiples import draw_wells

COLOUR_LEVELS = 8
UNNOTED = "no number"
MAX_ROWS_AND_COLUMNS = (32, 48)
MIN_STEPS_PER_SERIES = 4  # so many steps are one
TIME_UNITS = {"s", "min", "h"}
ROOMY_CHARACTERS, MAX_WRITTEN_VALUE, MAX_SAMPLE_CHARACTERS = 5, 1e6, 7
MAX_COLUMNS_WITH_TEXT = 12  # plates of more columns show colours only; the number is in the title


@dataclass(frozen=True)
class WellView:
    look: str  # v1 to v8, vx without a number, g1 to g12 of replicates, with its role; empty where nothing was measured
    text: str
    title: str
    value: str = ""  # with all its digits
    path: str = ""  # over the steps


@dataclass(frozen=True)
class WellStyle:
    """How the wells of one plate are coloured and written."""

    low: float
    high: float
    unit: str
    decimals: int
    shows_text: bool
    groups: Mapping[str, int] | None = None  # colours of samples, where these are asked for
    paths: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class PlateView:
    title: str
    quantity: str
    unit: str
    columns: Sequence[int]
    rows: Sequence[tuple[str, Sequence[WellView]]]
    low: str
    high: str
    notes: str  # "3 wells without a number: 2 OVRFLW, 1 masked"
    step: int
    steps: Sequence[str]
    step_label: str  # "Wavelength"
    is_dense: bool = False  # its numbers need small letters
    has_paths: bool = False
    roles: Sequence[str] = ()
    replicates: int = 0  # samples of more than one well
    are_grouped: bool = False  # coloured by sample


def build_plate_view(
    document: Mapping[str, Any],
    *,
    step: int = 0,
    by_sample: bool = False,
    span: tuple[float, float] | None = None,
) -> PlateView:
    """Of a document without fault. Raises NotDrawable. `step` is clamped to those the plate has.

    The colours go over `span`, which plates side by side share, else over its own numbers.
    """
    height, width = (
        _read_side(document.get("rows"), MAX_ROWS_AND_COLUMNS[0]),
        _read_side(document.get("columns"), MAX_ROWS_AND_COLUMNS[1]),
    )
    if document.get("format") != "ids-plate/1":
        raise NotDrawable
    given = document.get("wells")
    wells = {name: well for name, well in given.items() if isinstance(well, dict)} if isinstance(given, dict) else {}
    steps = _read_steps(document)
    step = max(0, min(step, len(steps) - 1))
    values = {name: _read_value(well, step=step if steps else None) for name, well in wells.items()}
    low, high = span or _colour_range(document, values.values())
    unit, columns = unit_or_empty(document), range(1, width + 1)
    groups, paths = group_replicates(wells), draw_wells(document)
    are_grouped = by_sample and bool(groups)
    ink = WellStyle(
        low,
        high,
        unit,
        decimals=_choose_decimals(max(abs(low), abs(high))),
        shows_text=width <= MAX_COLUMNS_WITH_TEXT,
        groups=groups if are_grouped else None,
        paths=paths,
    )
    found = {find_role(well) for well in wells.values()}
    return PlateView(
        is_dense=max(len(f"{number:.{ink.decimals}f}") for number in (low, high)) > ROOMY_CHARACTERS,
        has_paths=bool(paths),
        roles=[role for role, _ in ROLES if role in found],
        replicates=len(groups),
        are_grouped=are_grouped,
        title=text_or_empty(document.get("title")),
        quantity=text_or_empty(document.get("quantity")),
        unit=unit,
        columns=columns,
        rows=[
            (
                _row_letter(row),
                [_build_well_view(f"{_row_letter(row)}{column}", wells, values, ink) for column in columns],
            )
            for row in range(height)
        ],
        low=format_number(low),
        high=format_number(high),
        notes=_summarise_notes(wells, values),
        step=step,
        steps=steps,
        step_label=_read_step_label(document),
    )


def _colour_range(document: Mapping[str, Any], shown_values: Iterable[float | None]) -> tuple[float, float]:
    """What the colours span: all of a series, so that a slider shows what changes; of a few reads each its own."""
    known = [value for value in shown_values if value is not None]
    steps = document.get("steps")
    if steps and (len(steps["values"]) >= MIN_STEPS_PER_SERIES or text_or_empty(steps.get("unit")) in TIME_UNITS):
        series = (well.get("values", []) for well in document["wells"].values())
        known = [value for values in series for value in values if value is not None]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _build_well_view(
    name: str, wells: Mapping[str, dict[str, Any]], values: Mapping[str, float | None], ink: WellStyle
) -> WellView:
    if name not in wells:
        return WellView("", "", "")
    sample, note, value = text_or_empty(wells[name].get("sample")), text_or_empty(wells[name].get("note")), values[name]
    role, path = find_role(wells[name]), ink.paths.get(name, "")
    after = (f", {sample}" if sample else "") + (f" ({role})" if role and role != sample.lower() else "")
    if ink.groups is not None:
        look = f"g{ink.groups[sample]}" if sample in ink.groups else "g0"
        written = sample[:MAX_SAMPLE_CHARACTERS] if ink.shows_text else ""
        told = note or "no number" if value is None else f"{format_number(value)} {ink.unit}".strip()
        return WellView(f"{look} {role}".strip(), written, f"{name}: {told}{after}", _write_exactly(value), path)
    if value is None:
        written = (note[:3] or "—") if ink.shows_text else ""
        return WellView(f"vx {role}".strip(), written, f"{name}: {note or 'no number'}{after}", note, path)
    level = 1 + int((value - ink.low) / (ink.high - ink.low) * (COLOUR_LEVELS - 1) + 0.5) if ink.high > ink.low else 1
    written = _write_value(value, decimals=ink.decimals) if ink.shows_text else ""
    told = f"{name}: {format_number(value)} {ink.unit}".strip()
    return WellView(f"v{level} {role}".strip(), written, f"{told}{after}", _write_exactly(value), path)


def _write_exactly(value: float | None) -> str:
    return "" if value is None else f"{value:.10g}"


def _write_value(value: float, *, decimals: int) -> str:
    """Up to six digits stand in a well; of more, a power of ten."""
    return f"{value:.{decimals}f}" if abs(value) < MAX_WRITTEN_VALUE else shorten_exponent(f"{value:.2e}")


def _choose_decimals(high: float) -> int:
    """So many that the largest value, signs aside, has three digits: wells of one plate are written alike."""
    return max(0, min(4, 2 - math.floor(math.log10(high)))) if high > 0 else 2


def _read_value(well: Mapping[str, Any], *, step: int | None) -> float | None:
    values = well.get("values")
    if step is not None and isinstance(values, list) and step < len(values):
        return number_or_none(values[step])
    return number_or_none(well.get("value"))


def _read_steps(document: Mapping[str, Any]) -> list[str]:
    steps = document.get("steps")
    values = steps.get("values") if isinstance(steps, dict) else None
    unit = unit_or_empty(steps) if isinstance(steps, dict) else ""
    if not isinstance(values, list):
        return []
    return [
        f"{value if isinstance(value, str) else format_number(number_or_none(value) or 0.0)} {unit}".strip()[:80]
        for value in values[:1000]
    ]


def _read_step_label(document: Mapping[str, Any]) -> str:
    steps = document.get("steps")
    return text_or_empty(steps.get("label")) if isinstance(steps, dict) else ""


def _summarise_notes(wells: Mapping[str, dict[str, Any]], values: Mapping[str, float | None]) -> str:
    silent = [
        text_or_empty(wells[name].get("note"), most=40) or UNNOTED for name, value in values.items() if value is None
    ]
    if not silent:
        return ""
    told = f"{len(silent)} well{'s' if len(silent) != 1 else ''} without a number"
    if set(silent) == {UNNOTED}:
        return told
    kinds = ", ".join(f"{count} {note}" for note, count in Counter(silent).most_common(4))
    return f"{told}: {kinds}"


def _row_letter(row: int) -> str:
    return f"{chr(64 + row // 26) if row >= 26 else ''}{chr(65 + row % 26)}"


def _read_side(value: object, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise NotDrawable
    return value
