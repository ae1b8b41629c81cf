"""Where the table of a text begins and what separates its cells."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

DELIMITERS = (",", ";", "\t", "|")
BLANK_DELIMITER = " "  # runs of blanks, tried last
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[EeDd][+-]?\d+)?")
MINUS = "\N{MINUS SIGN}"
SAMPLE_LINES = 2000
MIN_STEADY_ROWS = 5
MIN_SHORT_ROWS = 3
MIN_ROWS = 2  # of a file that is shorter
MAX_FIELD_CHARACTERS = 1_000_000

csv.field_size_limit(MAX_FIELD_CHARACTERS)


@dataclass(frozen=True)
class Layout:
    delimiter: str
    width: int
    start: int  # the first row of the table, which may hold names


def find_layout(lines: Sequence[str]) -> Layout | None:
    """The delimiter by which most rows fall into one width, from the first five rows of that width on."""
    sample = lines[:SAMPLE_LINES]
    found = [layout for delimiter in DELIMITERS if (layout := layout_by(sample, delimiter))]
    blank = layout_by(sample, BLANK_DELIMITER)
    if blank and holds_numbers_only(sample, blank):  # decimal commas between blanks separate nothing
        found.append(blank)
    best = max(found, key=lambda found: rank_layout(sample, found), default=None)
    return best or find_short_layout(sample)


def find_short_layout(sample: Sequence[str], *, min_width: int = 2) -> Layout | None:
    """Of a table of three or four rows, of which all but the first hold numbers."""
    numeric = []
    for delimiter in DELIMITERS:
        layouts = layouts_by(sample, delimiter, steady=MIN_SHORT_ROWS)
        fits = (layout for layout in layouts if layout.width >= min_width and begins_with_numbers(sample, layout))
        numeric += [*islice(fits, 1)]
    return max(numeric, key=lambda found: rank_layout(sample, found), default=None)


def begins_with_numbers(sample: Sequence[str], layout: Layout) -> bool:
    rows = list(islice(split_rows(sample, layout.delimiter), layout.start + 1, layout.start + MIN_SHORT_ROWS))
    return all(any(NUMBER.fullmatch(cell.replace(",", ".")) for cell in row) for row in rows)


def layout_by(sample: Sequence[str], delimiter: str) -> Layout | None:
    return next(layouts_by(sample, delimiter, steady=MIN_STEADY_ROWS), None)


def layouts_by(sample: Sequence[str], delimiter: str, *, steady: int) -> Iterator[Layout]:
    """From every row on from which so many have one width."""
    widths = [len(row) for row in split_rows(sample, delimiter)]
    steady = min(steady, sum(width > 0 for width in widths))
    usual = Counter(width for width in widths if width > 1).most_common()
    if steady < MIN_ROWS:
        return
    for start in range(len(widths) - steady + 1):
        width = widths[start]
        following = [wide for wide in widths[start : start + steady + 2] if wide][:steady]
        if width > 1 and width in dict(usual) and following == [width] * steady:
            yield Layout(delimiter, width, start)


def holds_numbers_only(sample: Sequence[str], layout: Layout) -> bool:
    """Words with blanks between them are prose; only numbers are columns. The first row may be names."""
    rows = islice(split_rows(sample, layout.delimiter), layout.start + 1, layout.start + MIN_STEADY_ROWS)
    return all(NUMBER.fullmatch(cell.replace(",", ".")) for row in rows for cell in row)


def rank_layout(sample: Sequence[str], layout: Layout) -> tuple[int, float, int]:
    """By how many rows fit, then by how much of them is numbers: a decimal comma between tabs separates nothing."""
    rows = list(islice(split_rows(sample, layout.delimiter), layout.start, None))
    cells = [cell for row in rows[: MIN_STEADY_ROWS * 4] for cell in row if cell]
    numbers = sum(NUMBER.fullmatch(cell.replace(",", ".")) is not None for cell in cells)
    return sum(len(row) == layout.width for row in rows), numbers / max(1, len(cells)), layout.width


def split_rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Rows of cells; an empty line is an empty row."""
    return (row for _, row in split_numbered_rows(lines, delimiter))


def split_numbered_rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the number of lines up to its end: a quoted cell may go over several."""
    if delimiter == BLANK_DELIMITER:
        yield from ((number, trim_cells(line.split())) for number, line in enumerate(lines, start=1))
        return
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, skipinitialspace=True)
    yield from ((reader.line_num, trim_cells(row)) for row in reader)


def split_cells(line: str, delimiter: str) -> list[str]:
    """The cells of one line, which may be no part of a table."""
    return next(split_rows([line], delimiter), [])


def trim_cells(row: list[str]) -> list[str]:
    cells = [plain_minus(cell.strip()) for cell in row]
    return [] if not any(cells) else cells


def plain_minus(cell: str) -> str:
    """A number with the minus sign of printed texts as one with that of programs; any other cell as it is."""
    plain = cell.replace(MINUS, "-") if MINUS in cell else cell
    return plain if plain is not cell and NUMBER.fullmatch(plain.replace(",", ".")) else cell


BRACKETED_UNIT = re.compile(r"(?P<name>.*?\S)\s*(?:\((?P<round>[^()]{1,20})\)|\[(?P<square>[^\[\]]{1,20})\])\s*$")


KNOWN_UNITS = (
    "nm|µm|um|mm|cm|ms|s|sec|min|h|hr|hours|AU|mAU|OD|RFU|RLU|RU|mV|V|mA|A|µA|uA|nA|counts|cps|a\\.u\\.|%|ppm|Hz|kHz|MHz"
    "|cm-1|cm\\^-1|1/cm|cm⁻¹|eV|keV|K|°C|degC|bar|mbar|psi|kPa|MPa|Pa|mL|µL|uL|mL/min|mg|µg|ug|g|mg/mL|µg/mL|ng/µL|mM|µM|uM"
    "|nM|mS/cm|µS/cm|deg|°"
)
SEPARATED_UNIT = re.compile(rf"(?P<name>.*?\w)(?:\s*,\s*|\s*/\s*)(?P<unit>{KNOWN_UNITS})")
UNDERSCORED_UNIT = re.compile(
    r"(?P<name>[A-Za-z]\w*?)_(?P<unit>nm|min|ms|mAU|AU|mV|mL|uL|mM|uM|nM|ppm|kPa|MPa|bar|psi|degC)"
)
BARE_UNITS = {
    "nm": ("Wavelength", "nm"),
    "cm-1": ("Wavenumber", "cm-1"),
    "cm^-1": ("Wavenumber", "cm-1"),
    "cm⁻¹": ("Wavenumber", "cm-1"),
    "1/cm": ("Wavenumber", "cm-1"),
    "wavenumber": ("Wavenumber", "cm-1"),
    "wavenumbers": ("Wavenumber", "cm-1"),
    "%t": ("Transmittance", "%"),
    "ppm": ("Chemical shift", "ppm"),
}


def split_name_and_unit(header: str) -> tuple[str, str | None]:
    """Time (s), Absorbance [AU], "Time, s", Time / s and time_ms carry their unit; anything else is all name."""
    stated = BRACKETED_UNIT.match(header)
    if stated:
        return stated["name"].strip(), (stated["round"] or stated["square"]).strip()
    bare = BARE_UNITS.get(header.strip().lower())
    if bare:
        return bare
    marked = SEPARATED_UNIT.fullmatch(header.strip()) or UNDERSCORED_UNIT.fullmatch(header.strip())
    return (marked["name"].strip(), marked["unit"]) if marked else (header.strip(), None)
