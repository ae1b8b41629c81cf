"""Formats that are told apart and not read here: what they are, and what would have them read."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

PLUGIN = "The plug-in docs/examples/rainbow reads it."
TO_MZML = "Convert it to mzML (ThermoRawFileParser, or ProteoWizard's msconvert) and send that too."
TO_XRDML = "Save it as XRDML, as RAW of version 3 (RAW1.01), or as text."

TO_JCAMP = "Save it as JCAMP-DX, as SPC or as text (CSV) in the program that wrote it, and send that too."


@dataclass(frozen=True)
class UnreadFormat:
    title: str
    remedy: str
    matches: Callable[[str, bytes], bool]  # of the name, lower case, and the first 8 KiB


def ends(*endings: str) -> Callable[[str, bytes], bool]:
    return lambda name, head: PurePosixPath(name).suffix in endings


def begins(*marks: bytes) -> Callable[[str, bytes], bool]:
    return lambda name, head: head.startswith(marks)


def is_waters_part(name: str, head: bytes) -> bool:
    return name.startswith(("_func", "_chro", "_header.", "_inlet.", "_extern.")) and "." in name


UNREAD_FORMATS = (
    UnreadFormat("a Thermo RAW file", TO_MZML, begins(b"\x01\xa1F\0i\0n\0n\0i\0g\0a\0n\0")),
    UnreadFormat("Agilent data", PLUGIN, ends(".ch", ".uv", ".ms")),
    UnreadFormat("a part of a Waters .raw folder", PLUGIN, is_waters_part),
    UnreadFormat("a Thermo OMNIC spectrum", TO_JCAMP, begins(b"Spectral Data File", b"Spectral Exte File")),
    UnreadFormat("a PerkinElmer spectrum", TO_JCAMP, begins(b"PEPE")),
    UnreadFormat("a JASCO spectrum", TO_JCAMP, ends(".jws")),
    UnreadFormat("Bruker RAW of another version", TO_XRDML, begins(b"RAW4.00", b"RAW2", b"RAW ")),
)


def find_unread_format(filename: str, head: bytes) -> UnreadFormat | None:
    return next((known for known in UNREAD_FORMATS if known.matches(filename.lower(), head)), None)
