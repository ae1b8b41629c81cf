"""Which instrument types there are, and which of them reads a file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import PurePosixPath
from types import MappingProxyType

from processing import signatures
from processing.readings import GIB, MIB, InstrumentType, Limits
from processing.vendor_types import VENDORS

GROUP = "instrument_data_service.processors"
LARGE = Limits(input_bytes=512 * MIB)
IMAGE = InstrumentType(
    "image",
    "Image",
    ("tif", "tiff", "png", "jpg", "jpeg", "gif", "webp"),
    "processing.processors.image.reader:read",
    signatures.is_image,
    Limits(input_bytes=512 * MIB, memory_bytes=2 * GIB),
)
PDF = InstrumentType("pdf", "PDF", ("pdf",), "processing.processors.pdf:read", signatures.is_pdf, LARGE)
JCAMP = InstrumentType(
    "jcamp-dx",
    "JCAMP-DX spectrum",
    ("jdx", "dx", "jcamp"),
    "processing.processors.jcamp.reader:read",
    signatures.is_jcamp,
)
MZML = InstrumentType("mzml", "mzML", ("mzml",), "processing.processors.mzml.reader:read", signatures.is_mzml, LARGE)
FCS = InstrumentType(
    "fcs", "Flow Cytometry Standard", ("fcs",), "processing.processors.fcs:read", signatures.is_fcs, LARGE
)
COLUMNS = InstrumentType(
    "columns",
    "Columns of text",
    ("csv", "tsv", "txt", "tab", "asc", "dat", "prn", "xy", "xlsx", "xlsm", "xlsb", "xls", "ods"),
    "processing.processors.columns.reader:read",
)
WITH_MARKS = (IMAGE, PDF, JCAMP, MZML, FCS)  # they win for their own formats, whatever the instrument
GENERIC = InstrumentType(
    "generic",
    "Generic",
    tuple(sorted({*COLUMNS.extensions, *(extension for vendor in VENDORS for extension in vendor.extensions)})),
    "processing.processors.generic:read",
    limits=Limits(archive_levels=2),
)
BUILT_IN = (GENERIC, COLUMNS, *WITH_MARKS, *VENDORS)
BUILT_IN_VERSION = "2"  # raised when our own readers find more or other things


@dataclass(frozen=True)
class Registry:
    types: Mapping[str, InstrumentType]
    versions: Mapping[str, str]
    broken: Mapping[str, str]  # plug-ins that cannot be used, and why


class UnusablePlugin(Exception):
    pass


@cache
def registry() -> Registry:
    """Our own types and those of the installed plug-ins. A plug-in that is no good is listed and left out."""
    types = {built_in.name: built_in for built_in in BUILT_IN}
    versions = {name: built_in_version(name) for name in types}
    broken = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
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
    return plugin


def built_in_version(name: str) -> str:
    if name not in {vendor.name for vendor in VENDORS}:
        return BUILT_IN_VERSION
    try:
        return f"{BUILT_IN_VERSION}+allotropy.{version('allotropy')}"
    except PackageNotFoundError:
        return BUILT_IN_VERSION


def find_type(name: str) -> InstrumentType:
    """The type of that name. One that is gone (its plug-in was removed) reads as generic."""
    return registry().types.get(name, GENERIC)


def choose_type(*, filename: str, head: bytes, instrument_type: str) -> InstrumentType | None:
    """Which type reads this file, by its first bytes, its name and the instrument's type. None: nobody does."""
    own = find_type(instrument_type)
    return next(candidates(own, filename=filename, head=head), None)


def candidates(own: InstrumentType, *, filename: str, head: bytes) -> Iterator[InstrumentType]:
    extension = PurePosixPath(filename).suffix[1:].lower()
    others = registry().types.values()
    if bears(own.signature, head):
        yield own
    yield from (marked for marked in WITH_MARKS if bears(marked.signature, head))
    if own is not GENERIC and extension in own.extensions:
        yield own
    marked_plugins = [other for other in others if other not in BUILT_IN and bears(other.signature, head)]
    if len(marked_plugins) == 1:
        yield marked_plugins[0]
    yield from (marked for marked in WITH_MARKS if extension in marked.extensions)
    if extension in GENERIC.extensions:
        yield GENERIC


def bears(signature: Callable[[bytes], bool], head: bytes) -> bool:
    try:
        return signature(head)
    except Exception:  # a plug-in's, against its promise
        return False
