"""The sign that stands beside a file's name."""

from files.media_types import IMAGE_TYPES, PDF_TYPES, extension_of
from files.models import File

CURVE_EXTENSIONS = {"jdx", "dx", "jcamp", "mzml", "fcs"}


def icon_of(file: File) -> str:
    ending = extension_of(file.filename)
    known = {"curve": "curve", "events": "curve", "plate": "plate", "table": "table", "image": "image"}.get(
        str(file.metadata.get("kind"))
    )
    if known or ending in IMAGE_TYPES or ending in ("tif", "tiff"):
        return known or "image"
    return "pdf" if ending in PDF_TYPES else "curve" if ending in CURVE_EXTENSIONS else "table"
