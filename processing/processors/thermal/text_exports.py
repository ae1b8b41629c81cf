"""What the text exports of NETZSCH Proteus, PerkinElmer Pyris, TA Universal Analysis and Mettler STARe say."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from processing.readings import Unreadable
from processing.recognition.analytical_signatures import THERMAL_MARKS

CUT_OFF = "The last line has no end: the file may have been cut off."
BROKEN_OFF = "The rows of {} break off behind {:,}, and others follow: the file may be damaged."
UNCOUNTED = "In {} the row {:.0f} is followed by {:.0f}: the file may be damaged."
NUMBER = re.compile(r"[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?$")
PROGRAM = re.compile(r"(-?\d+(?:[.,]\d+)?)\W{0,2}C/.*/(-?\d+(?:[.,]\d+)?)\W{0,2}C")
MOST_MISSING = 0.05  # of the span of a program, at its end
QUOTED = re.compile(r'"((?:[^"]|"")*)"')
TITLE_AND_UNIT = re.compile(r"(.*?)\s*(?:[\[(]([^\])]*)[\])]|/([^/]*))$")


@dataclass(frozen=True)
class Measured:
    """One table: titles with their units, and rows of numbers, one for each."""

    title: str
    columns: list[tuple[str, str | None]]
    rows: list[list[float]]


@dataclass
class ThermalExport:
    form: str
    described: dict[str, str] = field(default_factory=dict)  # by the export's own words
    tables: list[Measured] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def parse_export(text: str) -> ThermalExport:
    """By the first of its marks. Raise Unreadable for what is none of them, or lacks numbers."""
    text = text.removeprefix("\ufeff")
    if text.startswith('"'):  # as spreadsheets write every cell
        text = QUOTED.sub(lambda cell: cell[1].replace('""', '"'), text)
    parse = next((parse for mark, parse in PARSERS if mark.search(text[:8192])), None)
    if parse is None:
        raise Unreadable("It is none of the exports of thermal analysis that are known.")
    export = parse(text)
    if not any(table.rows for table in export.tables):
        raise Unreadable("It holds no measured values.")
    if not text.endswith("\n") and export.form != METTLER:
        export.warnings.append(CUT_OFF)
    return export


def parse_netzsch(text: str) -> ThermalExport:
    export = ThermalExport("NETZSCH Proteus text")
    columns: list[tuple[str, str | None]] = []
    rows: list[list[float]] = []
    separator = ";"
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("##"):
            separator = next((mark for mark in (";", "\t", ",") if mark in line), separator)
            columns = [split_unit(title) for title in line[2:].split(separator)]
        elif line.startswith("#"):
            key, _, value = line[1:].partition(":")
            export.described[key.strip()] = value.strip()
        elif line.strip() and columns:
            rows.append(parse_row(line.split(separator), width=len(columns), number=number))
    export.tables.append(Measured(export.described.get("IDENTITY") or "Measurement", columns, rows))
    export.warnings += list_missing_degrees(export)
    return export


def list_missing_degrees(export: ThermalExport) -> list[str]:
    """A word where the temperatures end well before those of the program: 30°C/5.0(K/min)/700°C."""
    program = PROGRAM.fullmatch(export.described.get("RANGE", ""))
    columns, rows = export.tables[0].columns, export.tables[0].rows
    if program is None or not rows or not columns[0][0].lower().startswith("temp"):
        return []
    start, end = (float(degrees.replace(",", ".")) for degrees in program.groups())
    last = rows[-1][0]
    missing = end - last if end > start else last - end
    if missing <= MOST_MISSING * abs(end - start):
        return []
    return [f"Its program goes to {end:g} °C; the values end at {last:g} °C: it was stopped, or rows are missing."]


def parse_perkin_elmer(text: str) -> ThermalExport:
    """Steps of the method, each with two lines of titles, in order: one table of all."""
    export = ThermalExport("PerkinElmer Pyris text")
    titles: list[list[str]] = []
    rows: list[list[float]] = []
    is_over = False
    for number, line in enumerate(text.split("\n"), start=1):
        cells = [cell.strip() for cell in line.split("\t")[1:]]
        if line.startswith("\t") and titles and not is_over and NUMBER.match(cells[0]):
            rows.append(parse_row(cells, width=len(titles[0]), number=number))
        elif line.startswith("\t") and cells[0] == "Time":
            titles = [cells]
        elif line.startswith("\t") and len(titles) == 1 and cells[0] == "":
            titles.append([*cells, *[""] * len(titles[0])][: len(titles[0])])
        elif not line.startswith("\t"):
            key, is_fact, value = line.partition(":")
            is_over = is_over or (bool(rows) and not re.match(r"\d+\)", line))
            if is_fact and not rows:
                export.described.setdefault(key.strip(), value.strip())
            elif "\t" in line:
                export.described.setdefault(*(part.strip() for part in line.split("\t", 1)))
    names = [" ".join(filter(None, parts)) for parts in zip(*titles, strict=True)]
    units = {"Time": "min", "Temperature": "°C", "Weight": "mg", "Heat Flow": "mW", "Gas Flow": "mL/min"}
    columns = [(name, next((unit for word, unit in units.items() if name.endswith(word)), None)) for name in names]
    export.tables.append(Measured(export.described.get("Sample ID") or "Measurement", columns, rows))
    announced = export.described.get("Total Points in Run", "")
    if announced.isdigit() and int(announced) != len(rows):
        export.warnings.append(f"The header announces {int(announced):,} points; the file holds {len(rows):,}.")
    return export


def parse_ta(text: str) -> ThermalExport:
    """Signals after StartOfData. Rows that begin with a negative time are marks of the method's steps."""
    export = ThermalExport("TA Instruments text")
    head, is_found, body = text.partition("StartOfData")
    if not is_found:
        raise Unreadable("It ends before its data: a part of the file is missing.")
    for line in head.split("\n"):
        key, _, value = line.partition("\t")
        export.described.setdefault(key.strip(), value.strip())
    count = int(export.described.get("Nsig") or 0)
    columns = [split_unit(export.described.get(f"Sig{place}", "")) for place in range(1, count + 1)]
    lines = enumerate(body.split("\n"), start=head.count("\n") + 1)
    rows = [parse_row(line.split("\t"), width=count, number=number) for number, line in lines if line.strip()]
    is_whole = bool(rows) and rows[-1][0] < 0
    measured = [row for row in rows if row[0] >= 0]
    export.tables.append(Measured(export.described.get("Sample") or "Measurement", columns, measured))
    if not is_whole:
        export.warnings.append("The mark that ends the data is missing: the file may have been cut off.")
    return export


def parse_mettler(text: str) -> ThermalExport:
    """Curves one below the other: a name, titles, units, rows; results and texts follow them."""
    export = ThermalExport(METTLER)
    for block in re.split(r"^Curve Name:\n", text, flags=re.MULTILINE)[1:]:
        name, is_found, values = block.partition("Curve Values:\n")
        if is_found:
            curve, behind = parse_mettler_curve(" ".join(name.split()), values.split("\n"))
            export.tables.append(curve)
            export.warnings += doubt_rows(curve, behind)
    instrument = re.search(r"^  Type\s*:\s*(.+)$", text, re.MULTILINE)
    if instrument:
        export.described["Instrument"] = instrument[1].strip()
    weight = re.search(r"^  [^\n,]+, ([\d.,]+) mg$", text, re.MULTILINE)
    if weight:
        export.described["Sample Weight"] = f"{weight[1]} mg"
    if not re.search(r"STARe SW [\d.]+\s*$", text):
        export.warnings.append("The line that ends an export is missing: the file may have been cut off.")
    return export


def parse_mettler_curve(name: str, lines: list[str]) -> tuple[Measured, list[str]]:
    """And the lines behind its last row."""
    titles, units = (re.split(r"\s{2,}", line.strip()) for line in [*lines, "", ""][:2])
    columns = [
        (title, unit.strip("[]") if unit else None)
        for title, unit in zip(titles, [None] * (len(titles) - len(units)) + units, strict=True)
    ]
    rows = []
    for number, line in enumerate(lines[2:], start=1):
        cells = line.split()
        if len(cells) != len(titles) or not NUMBER.match(cells[0]):
            break
        rows.append(parse_row(cells, width=len(titles), number=number))
    return Measured(name.lstrip("=\\"), columns, rows), lines[2 + len(rows) :]


def doubt_rows(curve: Measured, behind: list[str]) -> Iterator[str]:
    """A curve's rows are counted by their index, and end where text begins."""
    width = len(curve.columns)
    if any(len(cells) == width and all(map(NUMBER.match, cells)) for cells in map(str.split, behind)):
        yield BROKEN_OFF.format(curve.title, len(curve.rows))
    indices = [row[0] for row in curve.rows] if curve.columns[0][0] == "Index" else []
    at = next((at for at, (one, other) in enumerate(pairwise(indices), start=1) if other != one + 1), None)
    if at:
        yield UNCOUNTED.format(curve.title, indices[at - 1], indices[at])


def parse_row(cells: list[str], *, width: int, number: int) -> list[float]:
    """Programs write decimal commas where the country has them; none writes thousands."""
    try:
        row = [float(cell.replace(",", ".")) for cell in cells if cell.strip()]
    except ValueError as error:
        raise Unreadable(f"Line {number} holds something else than numbers.") from error
    if len(row) != width:
        raise Unreadable(f"Line {number} holds {len(row)} values; its table has {width} columns.")
    return row


def split_unit(title: str) -> tuple[str, str | None]:
    """Mass/%, DSC/(mW/mg), Time (min), Ts [°C]"""
    found = TITLE_AND_UNIT.match(title.strip())
    return (found[1].rstrip(" /"), found[2] or found[3]) if found else (title.strip(), None)


METTLER = "Mettler Toledo STARe text"
Parser = Callable[[str], ThermalExport]
PARSERS: tuple[tuple[re.Pattern[str], Parser], ...] = tuple(
    zip(THERMAL_MARKS, (parse_netzsch, parse_perkin_elmer, parse_ta, parse_mettler), strict=True)
)


def list_signals(measured: Measured) -> Iterator[int]:
    """The columns that were measured against time and temperature."""
    for place, (name, _) in enumerate(measured.columns):
        if not re.match(r"(?:index$|x value$|time|temp|t$|t[rs]$|program temp|sample temp)", name, re.IGNORECASE):
            yield place
