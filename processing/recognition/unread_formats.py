"""Formats that are told apart and not read here: what they are, and what would have them read."""

from collections.abc import Callable
from dataclasses import dataclass

PLUGIN = "The plug-in docs/examples/rainbow reads it."
TO_MZML = "Convert the whole measurement to mzML (ProteoWizard's msconvert), and send that too."


@dataclass(frozen=True)
class UnreadFormat:
    title: str
    remedy: str
    matches: Callable[[str, bytes], bool]  # of the name, lower case, and the first 8 KiB


def is_waters_part(name: str, head: bytes) -> bool:
    return name.startswith(("_func", "_chro", "_header.", "_inlet.", "_extern.")) and "." in name


def is_called(*names: str) -> Callable[[str, bytes], bool]:
    return lambda name, head: name in names


def ends(*endings: str) -> Callable[[str, bytes], bool]:
    return lambda name, head: name.endswith(endings)


UNREAD_FORMATS = (
    UnreadFormat("a part of a Waters .raw folder", PLUGIN, is_waters_part),
    UnreadFormat(
        "a part of an Agilent MassHunter .d folder",
        TO_MZML,
        is_called("msscan.bin", "mspeak.bin", "msprofile.bin", "msmasscal.bin", "msperiodicactuals.bin"),
    ),
    UnreadFormat(
        "a part of a Bruker .d folder", TO_MZML, is_called("analysis.tdf", "analysis.tdf_bin", "analysis.baf")
    ),
    UnreadFormat("a part of a SCIEX measurement", TO_MZML, ends(".wiff", ".wiff2", ".wiff.scan")),
)


def find_unread_format(filename: str, head: bytes) -> UnreadFormat | None:
    return next((known for known in UNREAD_FORMATS if known.matches(filename.lower(), head)), None)
