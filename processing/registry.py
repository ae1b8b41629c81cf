"""Which instrument types there are, and which of them reads a file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import PurePosixPath
from types import MappingProxyType

from processing.gzip_files import is_gzip, unpack_head, unpacked_name
from processing.readings import FACT_KEY, GIB, MIB, InstrumentType, Kind, Limits
from processing.recognition import signatures
from processing.recognition.analytical_types import ANALYTICAL_TYPES, BRUKER_PARAMETERS_TYPE
from processing.recognition.microscope_types import MICROSCOPE_TYPES
from processing.recognition.own_format_types import OWN_FORMATS_TYPE
from processing.recognition.signed_types import SIGNED_TYPES
from processing.recognition.vendor_types import VENDOR_TYPES

ENTRY_POINT_GROUP = "instrument_data_service.processors"
LARGE_FILE_LIMITS = Limits(input_bytes=512 * MIB)
STREAMED_BYTES = 4 * GIB
STREAMED_TEXT = ("csv", "tsv", "txt", "tab", "asc", "dat", "prn", "xy")
IMAGE_TYPE = InstrumentType(
    "image",
    "Image",
    (
        "tif",
        "tiff",
        "png",
        "jpg",
        "jpeg",
        "gif",
        "webp",
        "bmp",
        "ppm",
        "pgm",
        "jp2",
        "j2k",
    ),  # the last two by name only
    "processing.processors.image.reader:read",
    signatures.is_image,
    Limits(input_bytes=512 * MIB, memory_bytes=2 * GIB, streamed_bytes=STREAMED_BYTES, seconds_per_gib=60),
    streamed=("tif", "tiff"),
)
PDF_TYPE = InstrumentType(
    "pdf", "PDF", ("pdf",), "processing.processors.pdf:read", signatures.is_pdf, LARGE_FILE_LIMITS
)
JCAMP_TYPE = InstrumentType(
    "jcamp-dx",
    "JCAMP-DX spectrum",
    ("jdx", "dx", "jcamp"),
    "processing.processors.jcamp.reader:read",
    signatures.is_jcamp,
)
MZML_TYPE = InstrumentType(
    "mzml",
    "mzML",
    ("mzml",),
    "processing.processors.mzml.reader:read",
    signatures.is_mzml,
    Limits(input_bytes=STREAMED_BYTES, seconds_per_gib=120),
    reads_gzip=True,
)
FCS_TYPE = InstrumentType(
    "fcs",
    "Flow Cytometry Standard",
    ("fcs", "lmd"),
    "processing.processors.fcs:read",
    signatures.is_fcs,
    Limits(input_bytes=STREAMED_BYTES, seconds_per_gib=60),
)
COLUMNS_TYPE = InstrumentType(
    "columns",
    "Columns of text",
    ("csv", "tsv", "txt", "tab", "asc", "dat", "prn", "xy", "xye", "dpt", "xlsx", "xlsm", "xlsb", "xls", "ods"),
    "processing.processors.columns.reader:read",
    limits=Limits(streamed_bytes=STREAMED_BYTES, seconds_per_gib=120),
    streamed=STREAMED_TEXT,
)
TYPES_WITH_SIGNATURE = (
    *SIGNED_TYPES,  # before images: the preamble of DICOM may look like a TIFF
    *MICROSCOPE_TYPES,
    IMAGE_TYPE,
    PDF_TYPE,
    BRUKER_PARAMETERS_TYPE,
    JCAMP_TYPE,
    MZML_TYPE,
    FCS_TYPE,
    *ANALYTICAL_TYPES,
    OWN_FORMATS_TYPE,
)  # they win for their own formats, whatever the instrument
GENERIC_TYPE = InstrumentType(
    "generic",
    "Generic",
    tuple(
        sorted({*COLUMNS_TYPE.extensions, *(extension for vendor in VENDOR_TYPES for extension in vendor.extensions)})
    ),
    "processing.processors.generic:read",
    limits=Limits(archive_levels=2, streamed_bytes=STREAMED_BYTES, seconds_per_gib=120),
    streamed=STREAMED_TEXT,
)
BUILT_IN_TYPES = (GENERIC_TYPE, COLUMNS_TYPE, *TYPES_WITH_SIGNATURE, *VENDOR_TYPES)
SHOWN_KINDS = {Kind.CURVE, Kind.EVENTS, Kind.IMAGE, Kind.PLATE, Kind.TABLE}
BUILT_IN_VERSION = "24"  # raised when our own readers find more or other things


@dataclass(frozen=True)
class Registry:
    types: Mapping[str, InstrumentType]
    versions: Mapping[str, str]
    broken: Mapping[str, str]  # plug-ins that cannot be used, and why


class UnusablePlugin(Exception):
    pass


@cache
def get_registry() -> Registry:
    """Our own types and those of the installed plug-ins. A plug-in that is no good is listed and left out."""
    types = {built_in.name: built_in for built_in in BUILT_IN_TYPES}
    versions = {name: built_in_version(name) for name in types}
    broken = {}
    for entry in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda entry: entry.name):
        try:
            plugin = load_plugin(entry, taken=types)
        except Exception as error:
            broken[entry.name] = f"{type(error).__name__}: {error}"
        else:
            types[plugin.name] = plugin
            versions[plugin.name] = entry.dist.version if entry.dist else ""
    return Registry(MappingProxyType(types), MappingProxyType(versions), MappingProxyType(broken))


def load_plugin(entry: EntryPoint, *, taken: Mapping[str, InstrumentType]) -> InstrumentType:
    plugin = entry.load()
    if not isinstance(plugin, InstrumentType):
        raise UnusablePlugin(f"{entry.value} is no InstrumentType.")
    if plugin.name in taken:
        raise UnusablePlugin(f"The type {plugin.name} exists already.")
    check_declarations(plugin)
    return plugin


def check_declarations(plugin: InstrumentType) -> None:
    """Raises UnusablePlugin: pages would show nothing of what it says, or something else."""
    keys, kinds = [fact.key for fact in plugin.facts], [viewer.kind for viewer in plugin.viewers]
    if not all(FACT_KEY.fullmatch(key) for key in keys):
        raise UnusablePlugin("The key of a fact is not plain.")
    if not set(kinds) <= SHOWN_KINDS:
        raise UnusablePlugin(f"Viewers show {', '.join(sorted(SHOWN_KINDS))}.")
    if len(set(keys)) < len(keys) or len(set(kinds)) < len(kinds):
        raise UnusablePlugin("A fact or a viewer is declared twice.")
    if not all(viewer.plural.strip() and viewer.singular.strip() for viewer in plugin.viewers):
        raise UnusablePlugin("A viewer has no name.")


def built_in_version(name: str) -> str:
    if name not in {vendor.name for vendor in VENDOR_TYPES}:
        return BUILT_IN_VERSION
    try:
        return f"{BUILT_IN_VERSION}+allotropy.{version('allotropy')}"
    except PackageNotFoundError:
        return BUILT_IN_VERSION


def find_type(name: str) -> InstrumentType:
    """The type of that name. One that is gone (its plug-in was removed) reads as generic."""
    return get_registry().types.get(name, GENERIC_TYPE)


def choose_type(*, filename: str, head: bytes, instrument_type: str) -> InstrumentType | None:
    """Which type reads this file, by its first bytes, its name and the instrument's type. None: nobody does.

    A file packed with gzip is read by the type that reads what it holds.
    """
    own = find_type(instrument_type)
    if is_gzip(head):
        filename, head = unpacked_name(filename), unpack_head(head)
    return next(list_candidates(own, filename=filename, head=head), None)


def list_candidates(own: InstrumentType, *, filename: str, head: bytes) -> Iterator[InstrumentType]:
    extension = PurePosixPath(filename).suffix[1:].lower()
    others = get_registry().types.values()
    if matches_signature(own.signature, head):
        yield own
    yield from (marked for marked in TYPES_WITH_SIGNATURE if matches_signature(marked.signature, head))
    if own is not GENERIC_TYPE and extension in own.extensions:
        yield own
    marked_plugins = [
        other for other in others if other not in BUILT_IN_TYPES and matches_signature(other.signature, head)
    ]
    if len(marked_plugins) == 1:
        yield marked_plugins[0]
    yield from (marked for marked in TYPES_WITH_SIGNATURE if extension in marked.extensions)
    if extension in GENERIC_TYPE.extensions:
        yield GENERIC_TYPE


def matches_signature(signature: Callable[[bytes], bool], head: bytes) -> bool:
    try:
        return signature(head)
    except Exception:  # a plug-in's, against its promise
        return False
