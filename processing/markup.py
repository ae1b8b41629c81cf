"""XML that declares types or entities is refused before a parser sees it: no instrument needs them, attacks do."""

from pathlib import Path
from typing import IO
from xml.parsers import expat

from processing.readings import Unreadable

CHUNK_BYTES = 64 * 1024
MARKUP_STARTS = (b"<?xml", b"<", b"\xff\xfe<\0", b"\xfe\xff\0<")


class DocumentTypeDeclared(Unreadable):
    def __init__(self) -> None:
        super().__init__("The XML declares a document type, which is refused because it can expand without end.")


class RootReached(Exception):
    pass


def check_markup(path: Path) -> None:
    """Raise DeclaresTypes if the file is XML with a document type declaration."""
    with path.open("rb") as file:
        if looks_like_markup(file.read(64)):
            file.seek(0)
            refuse_declarations(file)


def looks_like_markup(head: bytes) -> bool:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(MARKUP_STARTS)


def refuse_declarations(file: IO[bytes]) -> None:
    """Read up to the root element, before which alone a declaration may stand. Broken XML is left to its reader."""

    def on_doctype(*_: object) -> None:
        raise DocumentTypeDeclared

    def on_root(*_: object) -> None:
        raise RootReached

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = on_doctype
    parser.StartElementHandler = on_root
    try:
        while chunk := file.read(CHUNK_BYTES):
            parser.Parse(chunk, False)
    except (RootReached, expat.ExpatError, ValueError):
        return
