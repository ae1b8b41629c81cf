"""How the formats that carry a mark of their own are told from all others. None of these raises."""

import re

from processing.gzip_files import is_gzip, unpack_head

IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
TIFF_SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0")  # the latter two are BigTIFF
JCAMP_START = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|\$\$[^\r\n]*)*##\s*TITLE\s*=", re.IGNORECASE)
MZML_ROOT = re.compile(rb"<(?:\w+:)?(?:indexedmzML|mzML)[\s>]")
DICOM_PREAMBLE_BYTES = 128
FCS_VERSION = re.compile(rb"FCS\d\.\d    ")


def is_dicom(head: bytes) -> bool:
    """Its mark stands behind 128 bytes of anything, which may themselves look like a TIFF."""
    return head[DICOM_PREAMBLE_BYTES:].startswith(b"DICM")


def is_image(head: bytes) -> bool:
    if is_dicom(head):
        return False
    is_webp = head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    return is_webp or head.startswith(IMAGE_SIGNATURES) or head.startswith(TIFF_SIGNATURES)


def is_pdf(head: bytes) -> bool:
    return b"%PDF-" in head[:1024]


def is_jcamp(head: bytes) -> bool:
    """The title comes first; only blank lines and comments may stand before it."""
    return JCAMP_START.match(head) is not None


def is_mzml(head: bytes) -> bool:
    """Also where it is packed with gzip."""
    return MZML_ROOT.search(unpack_head(head) if is_gzip(head) else head) is not None


def is_fcs(head: bytes) -> bool:
    return FCS_VERSION.match(head) is not None
