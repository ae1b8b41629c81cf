"""Forms in which the text of a vendor's file is offered to its parser: as it is, then as parsers expect it.

Programs of a country's own settings, spreadsheets and people change how a text is written and not what it says:
encoding and line ends, marks of quotation, delimiters and decimal commas, empty cells at the ends of rows, the ending
of the name. Parsers know one form of each.
"""

import csv
import io
import re
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from processing.doubts.rows import choose_delimiter
from processing.facts import shorten_text
from processing.processors.asm.cell_words import find_words
from processing.processors.asm.workbook_forms import WORKBOOK_EXTENSIONS, list_workbook_forms, write_plainly
from processing.processors.asm.writing_style import WritingStyle
from processing.processors.asm.written_words import find_written
from processing.readings import MIB, Input, Json, Unreadable
from processing.text_encoding import decode_text

TEXT_EXTENSIONS = ("csv", "txt", "tsv")  # one of which a person may have given in place of another
OTHER_TEXT_EXTENSIONS = ("log",)
COPIED = re.compile(r"(?:\(\d{1,3}\)| - (?:Copy|Kopie|copie|copia)(?: \(\d{1,3}\))?)\Z")  # by browsers and desktops
MAX_BYTES = 8 * MIB  # larger texts are read as they are
MOST_TITLES = 4  # lines above an export
MOST_WORDS = 3  # that are told
TITLE_MARGIN = '#%*"; \t'
SEPARATOR_LINE = re.compile(r'"?sep=')
COUNTS_PARTITIONS = re.compile(r"Sample/NTC/Control|Partitions \(valid\)", re.IGNORECASE)  # QIAcuity writes such a line
EMPTY_TOP = re.compile(r'\A(?:[ \t,;"]*\n)+')  # lines before the first that says anything
EMPTY_LINES = re.compile(r"\n(?:[ \t,;]*\n){2,}")  # between sections, where parsers expect one
WORDS = (  # in place of a number; of which some parsers know none
    r"[<>≤≥]=? ?\d[\d.]*|OVRFLW|OVERFLOW|OVER|UNDERFLOW|OUT OF RANGE|SATURATED|MASKED|UNDETERMINED|TNTC|N\.D\."
    r"|#(?:DIV/0!|VALUE!|NUM!|REF!)|\*{2,}|-{1,}"
)
NUMBER_CELL, FEW = re.compile(r"(?<=[\t;, ])[+-]?\d[\d.]*(?:[eE][+-]?\d+)?(?=[\t;, \n]|\Z)"), 3  # of a row of numbers
WORD_CELL = re.compile(rf"(?<=[\t;,\" ])(?:{WORDS})(?=[\t;,\" \n]|\Z)", re.IGNORECASE)


@dataclass(frozen=True)
class Form:
    """The file, or a copy of it; what is to be told of the file itself."""

    given: Input
    original: str  # its own name
    is_day_first: bool = False
    facts: dict[str, Json] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    lines_before: int = 0  # of the file, which the copy does not have
    is_wordless: bool = False  # words in the place of numbers are to be read as missing ones
    has_rival: bool = False  # the next form may hold more: some parsers take a person's title for a head of their own


def list_forms(given: Input) -> Generator[Form]:
    """First the file itself, unless its numbers would be misread. Copies last until the next is asked for."""
    extension = given.path.suffix[1:].lower()
    with TemporaryDirectory() as folder:
        if extension in WORKBOOK_EXTENSIONS:
            if plain := write_plainly(given.path, folder=Path(folder)):
                yield Form(replace(given, path=plain.path), given.filename, warnings=plain.said)
            yield Form(given, given.filename)
            if find_written(given.path, None, with_results=True):
                yield Form(given, given.filename, is_wordless=True)
            for copy in list_workbook_forms(given.path, folder=Path(folder)):
                copied = replace(given, path=copy.path, filename=copy.path.name)
                yield Form(copied, given.filename, warnings=copy.said)
        elif extension in (*TEXT_EXTENSIONS, *OTHER_TEXT_EXTENSIONS) and given.path.stat().st_size <= MAX_BYTES:
            yield from list_text_forms(given, Path(folder))
        else:
            yield Form(given, given.filename)


def list_text_forms(given: Input, folder: Path) -> Iterator[Form]:
    try:
        decoded = decode_text(given.path.read_bytes())
    except Unreadable:
        yield Form(given, given.filename)
        return
    style = WritingStyle(decoded.text)
    plain = style.write_plainly()
    first = Form(given, given.filename, is_day_first=style.is_day_first, warnings=tuple(list_doubts(style)))
    facts: dict[str, Json] = {"encoding": decoded.encoding.lower()}
    has_title = begins_with_title(plain)
    if plain == decoded.text:
        yield from list_forms_without_top(first, plain, folder=folder, facts=facts)
        yield replace(first, has_rival=has_title)
    if has_title:  # which may be a head of the export's own: a word in the place of a number is no reason to drop it
        without_words = list_forms_without_words(first, plain, folder=folder, facts=facts)
        yield from (replace(form, has_rival=True) for form in without_words)
        yield from list_forms_without_title(first, plain, folder=folder, facts=facts)
    if style.has_decimal_commas:
        facts["decimal_comma"] = True
    for name, text in list_texts(plain, given=given, style=style):
        path = folder / name
        path.write_text(text, encoding="utf-8", newline="")
        yield replace(first, given=replace(given, path=path, filename=name), facts=facts)
    if not has_title:
        yield from list_forms_without_title(first, plain, folder=folder, facts=facts)
        yield from list_forms_without_words(first, plain, folder=folder, facts=facts)


def list_forms_without_top(first: Form, plain: str, *, folder: Path, facts: dict[str, Json]) -> Iterator[Form]:
    """A copy that begins with its first words: some parsers take an empty line for the end of the head."""
    if (top := EMPTY_TOP.match(plain)) and top.end() < len(plain):
        path = folder / first.original
        path.write_text(plain[top.end() :], encoding="utf-8", newline="")
        given = replace(first.given, path=path)
        yield replace(first, given=given, facts=dict(facts), lines_before=top[0].count("\n"))


def list_forms_without_title(first: Form, plain: str, *, folder: Path, facts: dict[str, Json]) -> Iterator[Form]:
    """Copies without the first lines, as long as these are words of a person and no cells."""
    lines = plain.split("\n")
    titles = list(takewhile(is_title, lines[:MOST_TITLES]))
    path = folder / first.original
    for count in range(1, len(titles) + 1):
        rest = "\n".join(lines[count:])
        if titles[count - 1].strip() and rest.strip():
            path.write_text(rest.lstrip("\n"), encoding="utf-8", newline="")
            said = f"“{shorten_text(titles[count - 1].strip(TITLE_MARGIN), 60)}” above the export is left out."
            given = replace(first.given, path=path)
            before = count + len(rest) - len(rest.lstrip("\n"))
            yield replace(first, given=given, facts=dict(facts), warnings=(*first.warnings, said), lines_before=before)


def list_forms_without_words(first: Form, plain: str, *, folder: Path, facts: dict[str, Json]) -> Iterator[Form]:
    """Copies in which words in the place of numbers are none: one of them makes some parsers refuse the whole file.

    First as numbers that are missing, then as NaN: those among numbers, as others may be what a plan of the plate
    says of its wells, then all.
    """
    path = folder / first.original
    if find_words(plain, choose_delimiter(plain.split("\n")) or ",", with_results=True):
        path.write_text(plain, encoding="utf-8", newline="")
        yield replace(first, given=replace(first.given, path=path), facts=dict(facts), is_wordless=True)
    lines = plain.split("\n")
    among = "\n".join(WORD_CELL.sub("NaN", line) if len(NUMBER_CELL.findall(line)) >= FEW else line for line in lines)
    for text in dict.fromkeys((among, WORD_CELL.sub("NaN", plain))):
        words = [
            word
            for line, new in zip(lines, text.split("\n"), strict=True)
            if line != new
            for word in WORD_CELL.findall(line)
        ]
        if words:
            path.write_text(text, encoding="utf-8", newline="")
            several = ", ".join(list(dict.fromkeys(words))[:MOST_WORDS])
            said = f"{len(words):,} cells hold a word in the place of a number ({several}): they are read as none."
            given = replace(first.given, path=path)
            yield replace(first, given=given, facts=dict(facts), warnings=(*first.warnings, said))


def begins_with_title(plain: str) -> bool:
    """Words in the first line, and nothing in the second."""
    first, _, rest = plain.lstrip("\n").partition("\n")
    return not re.search(r"[\t;,:=\[]", first) and not rest.partition("\n")[0].strip(TITLE_MARGIN)


def is_title(line: str) -> bool:
    """Words in one cell, or nothing."""
    return len([cell for cell in re.split(r"[\t;,]", line) if cell.strip(TITLE_MARGIN)]) <= 1


def list_doubts(style: WritingStyle) -> Iterator[str]:
    if number := style.unclear_number:
        mark = "comma" if "," in number else "point"
        yield f"Whether “{number}” has decimals or thousands behind its {mark}, nothing in the file tells."
    if style.is_day_first_by_country:
        yield "Its dates were read with the day first, as it has decimal commas: nothing else in the file tells."


def list_texts(plain: str, *, given: Input, style: WritingStyle) -> Iterator[tuple[str, str]]:
    """Names and texts that differ from what was tried before."""
    tried = given.path.read_bytes().decode("utf-8", errors="replace").replace("\r\n", "\n")
    texts = [text for text in dict.fromkeys(rewrite(plain, style.delimiter)) if text != tried]
    bare = texts[-1:]
    texts += [style.write_plainly(keeps_pairs=True)] if style.has_decimal_commas else []
    if given.path.suffix[1:].lower() == "csv":
        texts += list_spreadsheet_texts(plain, style.delimiter)
    yield from ((given.filename, text) for text in texts)
    own = Path(given.filename)
    if stem := COPIED.sub("", own.stem).rstrip():  # some parsers read the name
        yield from ((f"{stem}{own.suffix}", text) for text in (plain, *bare) if stem != own.stem)
    for extension in TEXT_EXTENSIONS:
        if extension != given.path.suffix[1:].lower():
            name = f"{Path(given.filename).stem}.{extension}"
            joined = join_tabs(plain) if extension == "csv" and style.delimiter == "\t" else ()
            yield from ((name, text) for text in dict.fromkeys((plain, *bare, *joined)))
    closed = EMPTY_LINES.sub("\n\n", plain)
    if closed != plain:
        yield given.filename, closed


def list_spreadsheet_texts(plain: str, delimiter: str) -> Iterator[str]:
    """A CSV as its program wrote it: with commas for tabs; with the line for spreadsheets, which these do not keep."""
    if delimiter == "\t":
        yield from join_tabs(plain)
    if not SEPARATOR_LINE.match(plain) and COUNTS_PARTITIONS.search(plain.partition("\n")[0]):
        yield f"sep={delimiter}\n{plain}"


def join_tabs(plain: str) -> Iterator[str]:
    """The text with commas for tabs; nothing where a cell never ends."""
    with suppress(csv.Error):
        yield "\n".join(join_rows(plain, "\t", by=","))


def rewrite(plain: str, delimiter: str) -> Iterator[str]:
    """The text; without needless quotation marks; with commas for semicolons; without what is empty around it."""
    yield plain
    bare = plain
    try:
        if '"' in plain:
            bare = "\n".join(join_rows(plain, delimiter, by=delimiter))
            yield bare
        if delimiter == ";":
            bare = "\n".join(join_rows(plain, delimiter, by=","))
            yield bare
            delimiter = ","
    except csv.Error:  # a cell that never ends
        return
    yield "\n".join(line.rstrip(f"{delimiter} ") for line in bare.split("\n")).lstrip("\n")


def join_rows(text: str, delimiter: str, *, by: str) -> Iterable[str]:
    """Its rows with the least marks of quotation."""
    written = io.StringIO()
    writer = csv.writer(written, delimiter=by, lineterminator="\n")  # a cell of two lines needs its quotes
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        written.seek(0)
        written.truncate()
        writer.writerow(row)
        yield written.getvalue().removesuffix("\n")
    if text.endswith("\n"):
        yield ""
