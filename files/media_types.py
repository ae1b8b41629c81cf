"""What a file's type and extension say: what a browser may show of it and what a report can."""

from files.choices import FileCategory, ReportKind

OCTET_STREAM = "application/octet-stream"
IMAGE_TYPES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}
PDF_TYPES = {"pdf": "application/pdf"}
INLINE_TYPES = IMAGE_TYPES | PDF_TYPES
SPECTRUM_EXTENSIONS = frozenset({"jdx", "dx", "jcamp", "csv"})
CURVE_KIND = "curve"  # the `kind` in the metadata of a processed file that holds one


def find_inline_type(filename: str, content_type: str | None) -> str | None:
    """The type under which a browser may show the file inline: raster images and PDF only, else None.

    The declared type counts; where none is declared, or only `application/octet-stream`, the extension does.
    """
    declared = strip_parameters(content_type)
    if declared in ("", OCTET_STREAM):
        return INLINE_TYPES.get(extension_of(filename))
    return declared if declared in INLINE_TYPES.values() else None


def choose_report_kind(
    filename: str,
    *,
    content_type: str | None = None,
    category: str = FileCategory.RAW,
    artefact_kind: object = None,
    is_processed: bool = False,
) -> ReportKind:
    """What a report shows the file as (docs/interface.md, Report items).

    A file is a spectrum when processing made a curve of it, a raw one also by its extension, until it was processed.
    """
    declared, extension = strip_parameters(content_type), extension_of(filename)
    if declared in IMAGE_TYPES.values() or extension in IMAGE_TYPES:
        return ReportKind.IMAGE
    if declared in PDF_TYPES.values() or extension in PDF_TYPES:
        return ReportKind.PDF
    if artefact_kind == CURVE_KIND:
        return ReportKind.SPECTRUM
    if category == FileCategory.PROCESSED:
        return ReportKind.NONE
    return ReportKind.SPECTRUM if extension in SPECTRUM_EXTENSIONS and not is_processed else ReportKind.NONE


def strip_parameters(content_type: str | None) -> str:
    """`image/png` of `Image/PNG; q=1`; empty where there is none."""
    return (content_type or "").partition(";")[0].strip().lower()


def extension_of(filename: str) -> str:
    """Lower-case, without the dot; empty where there is none."""
    stem, dot, extension = filename.rpartition(".")
    return extension.lower() if dot and stem else ""
