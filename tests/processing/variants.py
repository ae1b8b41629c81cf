"""Lawful variants of a text: the same numbers, as the software of another laboratory would write them.

Another encoding, other line ends, other settings of the country, other columns: they say what the original says.
"""

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from processing.text_encoding import decode_text

DECIMAL = re.compile(r"(?P<before>[<>]?\s*[+-]?\d+)\.(?P<behind>\d+(?:[eE][+-]?\d+)?\s*%?)")
LARGE = re.compile(r"(?P<sign>\s*[+-]?)(?P<whole>[1-9]\d{3,})(?P<behind>\.\d+)\s*")
DELIMITERS = "\t;,"
NUMBER = re.compile(r"\s*[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*%?")
LEAST_ROWS = 3
Rows = list[list[str]]


@dataclass(frozen=True)
class Variant:
    name: str
    data: bytes


@dataclass(frozen=True)
class Text:
    """Lines end with LF."""

    text: str

    @property
    def delimiter(self) -> str:
        tabs, semicolons, commas = (self.text.count(one) for one in DELIMITERS)
        if tabs >= max(semicolons, commas):
            return "\t"
        return ";" if semicolons > commas else ","

    @property
    def rows(self) -> Rows:
        if self.delimiter == "\t":
            return [line.split("\t") for line in self.text.split("\n")]
        return list(csv.reader(io.StringIO(self.text), delimiter=self.delimiter))

    def write(self, rows: Rows, delimiter: str = "", *, quotes_all: bool = False) -> str:
        delimiter = delimiter or self.delimiter
        if delimiter == "\t" == self.delimiter:
            return "\n".join("\t".join(row) for row in rows)
        written = io.StringIO()
        writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
        if quotes_all or self.is_quoted:
            writer = csv.writer(written, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
        writer.writerows(rows)
        return written.getvalue() if self.text.endswith("\n") else written.getvalue().removesuffix("\n")

    @property
    def is_quoted(self) -> bool:
        """Throughout, as some programs do."""
        return self.text.count(f'"{self.delimiter}"') * 2 > self.text.count(self.delimiter)


def with_decimal_commas(text: Text) -> str:
    """As in Germany or France: a semicolon, or a tab, between cells."""
    delimiter = ";" if text.delimiter == "," else text.delimiter
    return text.write([[write_comma(cell) for cell in row] for row in text.rows], delimiter)


def with_quoted_decimal_commas(text: Text) -> str:
    """Where the program keeps its comma between cells, the number is quoted."""
    return text.write([[write_comma(cell) for cell in row] for row in text.rows])


def write_comma(cell: str) -> str:
    found = DECIMAL.fullmatch(cell)
    return cell.replace(".", ",") if found else cell


def with_semicolons(text: Text) -> str:
    """As spreadsheets of such countries save what has commas."""
    return text.write(text.rows, ";") if text.delimiter == "," else text.text


def with_thousands(text: Text) -> str:
    return text.write([[group(cell, ",") for cell in row] for row in text.rows])


def with_thousands_and_decimal_commas(text: Text) -> str:
    """1.234,5"""
    delimiter = ";" if text.delimiter == "," else text.delimiter
    return text.write([[write_comma_and_points(cell) for cell in row] for row in text.rows], delimiter)


def with_blank_thousands(text: Text) -> str:
    delimiter = ";" if text.delimiter == "," else text.delimiter
    return text.write(
        [
            [
                group(cell, "\0").replace(".", ",").replace("\0", "\xa0")
                if group(cell, "\0") != cell
                else write_comma(cell)
                for cell in row
            ]
            for row in text.rows
        ],
        delimiter,
    )


def group(cell: str, mark: str) -> str:
    """Between thousands of a number with decimals: a whole one may be an identifier, which nobody groups."""
    found = LARGE.fullmatch(cell)
    return f"{found['sign']}{int(found['whole']):,}".replace(",", mark) + found["behind"] if found else cell


def write_comma_and_points(cell: str) -> str:
    grouped = group(cell, "\0")
    return (
        write_comma(grouped.replace("\0", "")) if "\0" not in grouped else grouped.replace(".", ",").replace("\0", ".")
    )


def quoted(text: Text) -> str:
    return text.write(text.rows, quotes_all=True) if text.delimiter != "\t" else text.text


def padded(text: Text) -> str:
    """As spreadsheets save: every row as wide as the widest."""
    rows = text.rows
    width = max(map(len, rows))
    end = rows[-1:] if rows[-1] in ([], [""]) else []
    return text.write([*([*row, *[""] * (width - len(row))] for row in rows[: len(rows) - len(end)]), *end])


def with_empty_end(text: Text) -> str:
    return text.text.rstrip("\n") + "\n" * 5


def with_more_empty_lines(text: Text) -> str:
    """Two between sections where there was one. Tabs alone may be a row of a plate, which is no line between."""
    return re.sub(r"(?<=\n)([ ,;]*\n)(?=[^\n])", r"\1\1", text.text)


def find_list(rows: Rows) -> tuple[int, int] | None:
    """The one list of the text: its head of names and its end, where it reaches to the end of the file."""
    end = len(rows)
    while end and not any(cell.strip() for cell in rows[end - 1]):
        end -= 1
    start = end
    while start and len(rows[start - 1]) == len(rows[end - 1]) > LEAST_ROWS:
        start -= 1
    head = rows[start] if start < end else []
    named = [cell for cell in head if cell.strip()]
    is_list = end - start > LEAST_ROWS and len(named) >= len(head) - 1 and not any(map(NUMBER.fullmatch, named))
    return (start, end) if is_list and len(set(named)) == len(named) else None


def change_list(text: Text, change: Callable[[Rows], Rows]) -> str:
    rows = text.rows
    found = find_list(rows)
    if found is None:
        return text.text
    start, end = found
    return text.write([*rows[:start], *change(rows[start:end]), *rows[end:]])


def reorder_columns(rows: Rows) -> Rows:
    """The last before all others but the first, which may say what a row is."""
    return [[row[0], *reversed(row[1:])] for row in rows]


def add_column(rows: Rows) -> Rows:
    return [[*row, "Remark of the operator" if number == 0 else "fine"] for number, row in enumerate(rows)]


def add_first_samples_again(rows: Rows) -> Rows:
    return [*rows, *rows[1:]]


WORDS = (">4.000", "< 0.1", "OVRFLW", "#DIV/0!", "N/A", "NaN", "Undetermined", "-", "", "TNTC", "-----")


def write_word(text: Text, word: str) -> str:
    """In place of the number in the middle of all that have decimals, or of all."""
    rows = text.rows
    places = [(y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if is_measured(row, cell)]
    if not places:
        return text.text
    y, x = places[len(places) // 2]
    rows[y][x] = word
    return text.write(rows)


def is_measured(row: list[str], cell: str) -> bool:
    return DECIMAL.fullmatch(cell) is not None and sum(NUMBER.fullmatch(one) is not None for one in row) > 1


STYLES: dict[str, Callable[[Text], str]] = {
    "decimal commas": with_decimal_commas,
    "quoted decimal commas": with_quoted_decimal_commas,
    "semicolons": with_semicolons,
    "thousands": with_thousands,
    "thousands, decimal commas": with_thousands_and_decimal_commas,
    "blank thousands": with_blank_thousands,
    "quoted": quoted,
    "padded": padded,
    "empty end": with_empty_end,
    "more empty lines": with_more_empty_lines,
    "columns reordered": lambda text: change_list(text, reorder_columns),
    "column added": lambda text: change_list(text, add_column),
    **{f"“{word}” for a number": partial(write_word, word=word) for word in WORDS},
}
ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "UTF-8 with its mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "UTF-16 LE": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "UTF-16 BE": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "UTF-16 LE without its mark": lambda text: text.encode("utf-16-le"),
    "Windows' code of the West": lambda text: text.encode("cp1252"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "line ends of Unix": str.encode,
    "line ends of the old Macintosh": lambda text: text.replace("\n", "\r").encode(),
    "µ of the other alphabet": lambda text: text.replace("µ", "μ").encode(),
    "μ of Latin-1": lambda text: text.replace("μ", "µ").encode(),
}


def variants_of(data: bytes, names: list[str] | None = None) -> Iterator[Variant]:
    """Each that differs from the file."""
    decoded = decode_text(data)
    text = decoded.text.removeprefix("\ufeff")
    seen = {text, text + "\n"}
    for name, change in STYLES.items():
        if not names or name in names:
            changed = change(Text(text))
            if changed not in seen:
                seen.add(changed)
                yield Variant(name, changed.replace("\n", line_end_of(data)).encode())
    for name, encode in ENCODINGS.items():
        if not names or name in names:
            try:
                changed_bytes = encode(text)
            except UnicodeEncodeError:
                continue
            if changed_bytes != data:
                yield Variant(name, changed_bytes)


def line_end_of(data: bytes) -> str:
    return "\r\n" if b"\r\n" in data else "\n"
