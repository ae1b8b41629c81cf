"""What makes a text doubtful, whoever read it: bytes that stand in no text, and what its rows show."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from processing.doubts.rows import Rows
from processing.readings import MIB
from processing.text_encoding import FALLBACK_ENCODING, detect_marked_encoding

MOST_BYTES = 8 * MIB  # of a longer text the beginning is judged
OTHERS = (b"FCS", b"%PDF", b"PK", b"ABIF", b"SIMPLE")  # they begin as a text does
HEAD, LEAST_LINES = 64, 5
MOST_STRAY_SHARE = 0.03  # beyond it the file is no text
HOLE, CONTROLS = re.compile(rb"\0+"), re.compile(rb"[\0-\x08\x0e-\x19\x1c-\x1f]")
PAGE, END_OF_PAGE, PAGE_HEAD = re.compile(r"<html\b", re.IGNORECASE), re.compile(r"</html\s*>", re.IGNORECASE), 4096
NEVER = "\x80"  # stands for a byte that its encoding does not have
STRAY = re.compile(r"[\x00-\x08\x0e-\x13\x15-\x19\x1c-\x1f\x7f-\x84\x86-\x9f]")  # 14: within CEL; 1a: an end
RARE = re.compile("[¬¦¯¸¿†‡ˆ‹›\xad]|¡(?!C\\b)")  # noqa: RUF001  # where units and names are what is not ASCII; ¡C is °C of a Macintosh
WITHIN_LINE = re.compile(r"(?<=[^\r\n\f])\f(?=[^\r\n\f])")  # a new page begins with a line
AMONG_DIGITS = re.compile(r"(?<=[\d.,])[^\x00-\x7f±×·–—−\xa0\u202f’′‰](?=[\d.,])")  # noqa: RUF001
BEHIND_DIGIT = re.compile(r"(?<=\d)[À-ÄÆ-ÖØ-ÞĀ-ž]")  # not 5 Å; 2è is French
WITHIN_WORD = re.compile(r"(?<=[a-z])[À-ÖØ-ÞŒŠŽŸ¢-¥§©«»±¶¹º¼-¾×÷„“‰‚ƒ€](?=[a-z])")  # noqa: RUF001  # capitals and signs
ALONE = re.compile(r"(?<=[][(){}<>.:/\\=\-\d\r\t])[À-ÄÆ-ÖÙ-äæ-öù-ÿ](?=[][(){}<>.:/\\=\-\d\r\t])")  # neither Å nor Ø
FOREIGN = re.compile(r"(?<=[ -~])[\u0590-\u1fff\u2c00-\uabff\ue000-\uf8ff](?=[ -~])")  # alone among Latin letters
ODD = (STRAY, WITHIN_LINE, AMONG_DIGITS, BEHIND_DIGIT, WITHIN_WORD, ALONE, FOREIGN)


def list_text_doubts(path: Path, told: Sequence[str] | None = None) -> Iterator[str]:
    """A sentence for each kind of damage that shows in a file of text; `told` is what was said of it before."""
    with path.open("rb") as file:
        content = file.read(MOST_BYTES)
        is_whole = not file.read(1)
    text, strays = decode_leniently(content)
    if text is None:
        return
    strays += sum(len(pattern.findall(text)) for pattern in ODD)
    if strays:
        yield f"It holds characters that stand in no text ({strays:,}): the file may be damaged."
    if is_whole and PAGE.search(text[:PAGE_HEAD]) and not END_OF_PAGE.search(text[-PAGE_HEAD:]):
        yield "It is a page of HTML without an end: the file may be cut off."
    yield from Rows(text, told).list_doubts(is_whole=is_whole)


def decode_leniently(content: bytes) -> tuple[str | None, int]:
    """The text, and how many of its characters its encoding gives reason to doubt; None where it is no text."""
    marked = detect_marked_encoding(content)
    if marked:
        try:
            return content.decode(marked), 0  # what programs could not write stands there as such
        except UnicodeDecodeError:
            return content.decode(marked, errors="replace").replace("\ufffd", NEVER), 0
    if content.startswith(OTHERS) or not is_mostly_text(content):
        return None, 0
    try:
        return content.decode(), 0
    except UnicodeDecodeError as error:
        return decode_mixture(content, is_cut=error.end == len(content) == MOST_BYTES)


def is_mostly_text(content: bytes) -> bool:
    """It has hardly any control characters, and most begin as a text; a hole of NULs counts as one."""
    plain = HOLE.sub(b"\0", content)
    if CONTROLS.search(plain[:HEAD]):  # the beginning itself may be what was hit
        return plain.count(b"\n", 2 * HEAD) >= LEAST_LINES and not CONTROLS.search(plain, 2 * HEAD)
    return len(CONTROLS.findall(plain)) <= MOST_STRAY_SHARE * len(plain)


def decode_mixture(content: bytes, *, is_cut: bool) -> tuple[str, int]:
    """As UTF-8 with stray bytes where most that is not ASCII is that, else in the code of the West."""
    wide = content.decode(errors="ignore")
    several = len(wide) - len(wide.encode("ascii", "ignore"))
    strays = len(content.decode(errors="surrogateescape")) - len(wide)
    if several > strays or is_cut:
        return wide, 0 if is_cut else strays
    text = content.decode(FALLBACK_ENCODING, errors="replace").replace("\ufffd", NEVER)
    return text, len(RARE.findall(text))
