"""Text of unknown encoding: a byte-order mark decides, else UTF-8, else the Windows code page of the West."""

import codecs
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from processing.readings import Unreadable

BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
FALLBACK_ENCODING = "cp1252"
TEXT_CONTROLS = {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1A, 0x1B}
WIDE_SAMPLE_BYTES, MIN_WIDE_BYTES = 4096, 16
WIDE_SHARE = 0.9
MAX_CONTROL_SHARE = 0.005  # of a text in a one-byte encoding


@dataclass(frozen=True)
class Decoded:
    text: str
    encoding: str


def open_without_mark(path: Path, *, encoding: str, errors: str = "strict") -> TextIO:
    """A text whose encoding is known, from behind the mark of UTF-8 that editors put before it."""
    file = path.open("rb")
    if file.read(len(codecs.BOM_UTF8)) != codecs.BOM_UTF8:
        file.seek(0)
    return io.TextIOWrapper(file, encoding=encoding, errors=errors)


def decode_text(content: bytes) -> Decoded:
    """The text, with line ends as LF. Unreadable: it is none."""
    encoding = detect_marked_encoding(content) or detect_wide_encoding(content)
    candidates = [encoding] if encoding else ["utf-8", FALLBACK_ENCODING]
    if not encoding and not looks_like_text(content):
        raise Unreadable("This is not text.")
    for candidate in candidates:
        try:
            text = content.decode(candidate)
        except UnicodeError:
            continue
        return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), candidate.removesuffix("-sig"))
    return Decoded(content.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n"), "latin-1")


def detect_marked_encoding(content: bytes) -> str | None:
    return next((name for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)), None)


def detect_wide_encoding(content: bytes) -> str | None:
    """UTF-16 without a mark, where every other byte is nothing, as it is in most texts of the West."""
    sample = content[:WIDE_SAMPLE_BYTES]
    if len(content) % 2 or len(sample) < MIN_WIDE_BYTES:
        return None
    for name, empty, full in (("utf-16-le", sample[1::2], sample[::2]), ("utf-16-be", sample[::2], sample[1::2])):
        if empty.count(0) >= WIDE_SHARE * len(empty) and 0 not in full:
            return name if looks_like_text(full) else None
    return None


def looks_like_text(content: bytes) -> bool:
    """No NUL, and hardly any other control character."""
    if b"\0" in content:
        return False
    controls = sum(content.count(bytes([code])) for code in range(32) if code not in TEXT_CONTROLS)
    return controls <= MAX_CONTROL_SHARE * max(1, len(content))
