"""How the formats that carry a mark of their own are told from all others. None of these raises."""

import re
import zlib

IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
TIFFS = (b"II*\0", b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0")  # the latter two are BigTIFF
JCAMP_START = re.compile(rb"(?:\xef\xbb\xbf)?(?:\s|\$\$[^\r\n]*)*##\s*TITLE\s*=", re.IGNORECASE)
MZML_ROOT = re.compile(rb"<(?:\w+:)?(?:indexedmzML|mzML)[\s>]")
GZIP = b"\x1f\x8b\x08"
MOST_UNPACKED = 16 * 1024
FCS_VERSION = re.compile(rb"FCS\d\.\d    ")


def is_image(head: bytes) -> bool:
    is_webp = head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    return is_webp or head.startswith(IMAGES) or head.startswith(TIFFS)


def is_pdf(head: bytes) -> bool:
    return b"%PDF-" in head[:1024]


def is_jcamp(head: bytes) -> bool:
    """The title comes first; only blank lines and comments may stand before it."""
    return JCAMP_START.match(head) is not None


def is_mzml(head: bytes) -> bool:
    """Also where it is packed with gzip."""
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, MOST_UNPACKED)
        except zlib.error:
            return False
    return MZML_ROOT.search(head) is not None


def is_fcs(head: bytes) -> bool:
    return FCS_VERSION.match(head) is not None
