"""Where the table of a text begins and what separates its cells."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

DELIMITERS = (",", ";", "\t", "|")
BLANKS = " "  # runs of blanks, tried last
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[EeDd][+-]?\d+)?")
SAMPLE_LINES = 2000
STEADY_ROWS = 5
LEAST_ROWS = 2  # of a file that is shorter
MOST_FIELD_CHARACTERS = 1_000_000

csv.field_size_limit(MOST_FIELD_CHARACTERS)


@dataclass(frozen=True)
class Layout:
    delimiter: str
    width: int
    start: int  # the first row of the table, which may hold names


def find_layout(lines: Sequence[str]) -> Layout | None:
    """The delimiter by which most rows fall into one width, from the first five rows of that width on."""
    sample = lines[:SAMPLE_LINES]
    found = [layout for delimiter in DELIMITERS if (layout := layout_by(sample, delimiter))]
    if not found:
        blank = layout_by(sample, BLANKS)
        found = [blank] if blank and holds_numbers_only(sample, blank) else []
    return max(found, key=lambda found: rank(sample, found), default=None)


def layout_by(sample: Sequence[str], delimiter: str) -> Layout | None:
    widths = [len(row) for row in split(sample, delimiter)]
    steady = min(STEADY_ROWS, sum(width > 0 for width in widths))
    usual = Counter(width for width in widths if width > 1).most_common()
    if steady < LEAST_ROWS:
        return None
    for start in range(len(widths) - steady + 1):
        width = widths[start]
        following = [wide for wide in widths[start : start + steady + 2] if wide][:steady]
        if width > 1 and width in dict(usual) and following == [width] * steady:
            return Layout(delimiter, width, start)
    return None


def holds_numbers_only(sample: Sequence[str], layout: Layout) -> bool:
    """Words with blanks between them are prose; only numbers are columns. The first row may be names."""
    rows = islice(split(sample, layout.delimiter), layout.start + 1, layout.start + STEADY_ROWS)
    return all(NUMBER.fullmatch(cell.replace(",", ".")) for row in rows for cell in row)


def rank(sample: Sequence[str], layout: Layout) -> tuple[int, float, int]:
    """By how many rows fit, then by how much of them is numbers: a decimal comma between tabs separates nothing."""
    rows = list(islice(split(sample, layout.delimiter), layout.start, None))
    cells = [cell for row in rows[: STEADY_ROWS * 4] for cell in row if cell]
    numbers = sum(NUMBER.fullmatch(cell.replace(",", ".")) is not None for cell in cells)
    return sum(len(row) == layout.width for row in rows), numbers / max(1, len(cells)), layout.width


def split(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Rows of cells; an empty line is an empty row."""
    if delimiter == BLANKS:
        return (line.split() for line in lines)
    return (trimmed(row) for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True))


def trimmed(row: list[str]) -> list[str]:
    cells = [cell.strip() for cell in row]
    return [] if not any(cells) else cells


UNIT = re.compile(r"(?P<name>.*?\S)\s*(?:\((?P<round>[^()]{1,20})\)|\[(?P<square>[^\[\]]{1,20})\])\s*$")


KNOWN_UNITS = (
    "nm|µm|um|mm|cm|ms|s|sec|min|h|hr|hours|AU|mAU|OD|RFU|RLU|RU|mV|V|mA|A|µA|uA|nA|counts|cps|a\\.u\\.|%|ppm|Hz|kHz|MHz"
    "|cm-1|cm\\^-1|1/cm|cm⁻¹|eV|keV|K|°C|degC|bar|mbar|psi|kPa|MPa|Pa|mL|µL|uL|mL/min|mg|µg|ug|g|mg/mL|µg/mL|ng/µL|mM|µM|uM"
    "|nM|mS/cm|µS/cm|deg|°"
)
AFTER_A_MARK = re.compile(rf"(?P<name>.*?\w)(?:\s*,\s*|\s*/\s*)(?P<unit>{KNOWN_UNITS})")
UNDERSCORED = re.compile(
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


def name_and_unit(header: str) -> tuple[str, str | None]:
    """Time (s), Absorbance [AU], "Time, s", Time / s and time_ms carry their unit; anything else is all name."""
    stated = UNIT.match(header)
    if stated:
        return stated["name"].strip(), (stated["round"] or stated["square"]).strip()
    bare = BARE_UNITS.get(header.strip().lower())
    if bare:
        return bare
    marked = AFTER_A_MARK.fullmatch(header.strip()) or UNDERSCORED.fullmatch(header.strip())
    return (marked["name"].strip(), marked["unit"]) if marked else (header.strip(), None)
