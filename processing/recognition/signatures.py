"""How the formats that carry a mark of their own are told from all others. None of these raises."""

import re

from processing.gzip_files import is_gzip, unpack_head

IMAGE_SIGNATURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
BMP_START = re.compile(
    rb"BM.{4}\0{4}.{4}[\x0c\x28\x34\x38\x40\x6c\x7c]\0\0\0", re.DOTALL
)  # a size of its second header
PNM_START = re.compile(rb"P[56]\s(?:#[^\n]*\n\s*)*\d{1,6}\s+\d{1,6}\s+\d{1,5}\s")
TIFF_SIGNATURES = (b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0")  # the latter two are BigTIFF
JCAMP_START = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|\$\$[^\r\n]*)*##\s*TITLE\s*=", re.IGNORECASE)
MZML_ROOT = re.compile(rb"<(?:\w+:)?(?:indexedmzML|mzML)[\s>]")
DICOM_MARK = slice(128, 132)  # behind a preamble of anything, which may itself look like a TIFF
DICOM_WITHOUT_PREAMBLE = re.compile(
    rb"\x08\x00[\x00\x01\x05\x08\x12-\x18]\x00(?:(?:CS|UI|DA|TM|UL)[\x02-\x7e]\x00|[\x02-\x7e]\x00\x00\x00)[\x20-\x7e]{2}"
)
FCS_VERSION = re.compile(rb"FCS\d\.\d    ")


def is_dicom(head: bytes) -> bool:
    """With its preamble, or beginning with the text of group 8, as older programs wrote it."""
    return head[DICOM_MARK] == b"DICM" or DICOM_WITHOUT_PREAMBLE.match(head) is not None


def is_image(head: bytes) -> bool:
    if is_dicom(head):
        return False
    is_webp = head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    is_plain = BMP_START.match(head) or PNM_START.match(head)
    return is_webp or bool(is_plain) or head.startswith((*IMAGE_SIGNATURES, *TIFF_SIGNATURES))


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
