"""Says that there are Agilent's data files and Waters' folders. Light; the library is imported where files are read."""

from processing.readings import MIB, FolderRule, InstrumentType, Limits

TYPES = (b"2", b"30", b"31", b"81", b"130", b"131", b"179")
LIMITS = Limits(input_bytes=256 * MIB)


def is_agilent_data(head: bytes) -> bool:
    """ChemStation's files begin with the length and the text of their type: 2, 30, 31, 81, 130, 131, 179."""
    length = head[0] if head else 0
    return 1 <= length <= 3 and head[1 : 1 + length] in TYPES


def is_waters_header(head: bytes) -> bool:
    return head.startswith(b"$$ Version:") and b"$$ Acquired Name:" in head


AGILENT = InstrumentType(
    name="agilent-data",
    title="Agilent ChemStation data",
    extensions=("ch", "uv", "ms"),
    process="rainbow_reading:read_agilent",
    signature=is_agilent_data,
    limits=LIMITS,
)
WATERS = InstrumentType(
    name="waters-raw",
    title="Waters RAW folder",
    extensions=(),
    process="rainbow_reading:read_waters",
    signature=is_waters_header,
    limits=LIMITS,
    folder=FolderRule("_HEADER.TXT", ("_FUNC*", "_CHRO*", "_extern.inf", "_INLET.INF")),
)
