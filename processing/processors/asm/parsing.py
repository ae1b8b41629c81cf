"""allotropy's document of a file, with the numbers that its parsers leave out where the file has a word for them."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from allotropy.allotrope.converter import unstructure
from allotropy.constants import CHARDET_ENCODING
from allotropy.exceptions import AllotropeConversionError, AllotropeParsingError
from allotropy.parser_factory import Vendor
from allotropy.parsers.utils.encoding import determine_encoding
from allotropy.to_allotrope import allotrope_model_from_io

from processing.processors.asm.document import Node, plain_values
from processing.processors.asm.forms import Form
from processing.processors.asm.identifiers import counted_identifiers
from processing.processors.asm.micro_signs import write_micro
from processing.processors.asm.schema import validate_document
from processing.processors.asm.stand_ins import FIRSTS, lacks, note_errors, settle
from processing.processors.asm.timestamps import known_times
from processing.processors.asm.wide_plates import rows_beyond_z
from processing.processors.asm.written_words import Written, find_written
from processing.readings import MIB, Input, Unreadable
from processing.text_encoding import detect_marked_encoding

MAX_GUESSED_BYTES = 2 * MIB  # beyond this the encoding is not guessed


@dataclass
class AssumedZone(tzinfo):
    """The instrument's time zone, and whether any time needed it."""

    zone: tzinfo
    was_used: bool = False

    def utcoffset(self, at: datetime | None) -> timedelta | None:
        self.was_used = True
        return self.zone.utcoffset(at)

    def dst(self, at: datetime | None) -> timedelta | None:
        return self.zone.dst(at)

    def tzname(self, at: datetime | None) -> str | None:
        return self.zone.tzname(at)


@dataclass
class Parsed:
    """The document of a form of the file, and what was found on the way."""

    document: Node
    identifiers: set[str]
    zone: AssumedZone
    words: set[str] = field(default_factory=set)  # in the place of numbers, which the document has as missing


def parse_form(vendor: Vendor, form: Form, *, encoding: str | None) -> Parsed:
    """What its parser finds, and the wells and points that it leaves out because of a word."""
    written = find_written(form.given.path, encoding, with_results=form.is_wordless)
    if written is None:
        return parse(vendor, form, form.given, encoding=encoding)
    if form.is_wordless:
        return parse_with_numbers(vendor, form, written)
    usual = parse(vendor, form, form.given, encoding=encoding)
    try:
        other = parse_with_numbers(vendor, form, written)
    except MemoryError:
        raise
    except Exception:  # then what is missing is told only
        return usual
    return other if lacks(usual.document, other.document) else usual


def parse_with_numbers(vendor: Vendor, form: Form, written: Written) -> Parsed:
    """Read twice, with other numbers for these words; once more where some of them are texts to the parser."""
    without: set[int] = set()
    with TemporaryDirectory() as folder:
        given = replace(form.given, path=Path(folder) / form.given.path.name)
        while True:
            encodings = (written.write(given.path, first, without) for first in FIRSTS)
            one, other = (parse_unchecked(vendor, form, given, encoding=encoding) for encoding in encodings)
            validate_document(one.document)
            settled = settle(one.document, other.document, written.words)
            if not settled.is_alike:
                raise Unreadable("What stands in the place of a number is no number.")
            if not settled.texts - without:
                note_errors(one.document)
                one.words = {written.words[place].word for place in settled.missing}
                return one
            without |= settled.texts


def parse(vendor: Vendor, form: Form, given: Input, *, encoding: str | None) -> Parsed:
    parsed = parse_unchecked(vendor, form, given, encoding=encoding)
    validate_document(parsed.document)
    return parsed


def parse_unchecked(vendor: Vendor, form: Form, given: Input, *, encoding: str | None) -> Parsed:
    """Before anybody asked whether its document keeps to its schema."""
    zone = AssumedZone(form.given.time_zone)
    with counted_identifiers() as identifiers, known_times(is_day_first=form.is_day_first), rows_beyond_z():
        return Parsed(document_of(vendor, given, encoding=encoding, zone=zone), identifiers, zone)


def document_of(vendor: Vendor, given: Input, *, encoding: str | None, zone: AssumedZone) -> Node:
    """allotropy's document. What it calls the file's fault is; everything else that it raises is told as damage."""
    try:
        content, encoding = write_micro(given.path.read_bytes(), vendor, encoding)
        file = BytesIO(content)
        model = allotrope_model_from_io(file, given.filename, vendor, default_timezone=zone, encoding=encoding)
    except (AllotropeConversionError, AllotropeParsingError) as error:
        raise Unreadable(str(error)) from error
    return cast(Node, plain_values(unstructure(model)))


def encoding_of(content: bytes) -> str | None:
    """A byte-order mark decides; else UTF-8; else what chardet makes of it. None for what is no text.

    The guess is made here, because some of allotropy's parsers lose the content when their first guess is wrong.
    """
    marked = detect_marked_encoding(content)
    if marked:
        return marked
    if b"\0" in content[:MIB]:
        return None
    if can_decode(content, "utf-8"):
        return "utf-8"
    if len(content) > MAX_GUESSED_BYTES:
        return None
    guesses = determine_encoding(content, CHARDET_ENCODING)
    return next((guess for guess in guesses if guess and can_decode(content, guess)), None)


def can_decode(content: bytes, encoding: str) -> bool:
    try:
        content.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
