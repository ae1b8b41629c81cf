"""How vendors' software ends its text files: one that ends otherwise may be cut off."""

import re
from collections.abc import Iterator

from allotropy.parser_factory import Vendor

from processing.text_encoding import detect_marked_encoding

TAIL_BYTES = 4096
CLOSINGS = {  # what stands in the last lines of every export
    Vendor.LUMINEX_XPONENT: "CRC32:",
    Vendor.MOLDEV_SOFTMAX_PRO: "Original Filename:",
    Vendor.PERKIN_ELMER_ENVISION: "Exported with EnVision",
    Vendor.REVVITY_KALEIDO: "Exported with Kaleido",
}
END_LINES = {  # whose last line has an end, as all others do
    Vendor.AGILENT_GEN5_IMAGE,
    Vendor.APPBIO_QUANTSTUDIO,
    Vendor.BECKMAN_ECHO_PLATE_REFORMAT,
    Vendor.BECKMAN_VI_CELL_BLU,
    Vendor.BMG_MARS,
    Vendor.CTL_IMMUNOSPOT,
    Vendor.METHODICAL_MIND,
    Vendor.NOVABIO_FLEX2,
    Vendor.ROCHE_CEDEX_BIOHT,
    Vendor.THERMO_FISHER_NANODROP_8000,
    Vendor.THERMO_FISHER_NANODROP_EIGHT,
    Vendor.UNCHAINED_LABS_LUNATIC,
}


OPENINGS = {  # of files that are known by their end only
    Vendor.REVVITY_KALEIDO: re.compile(r"\s*(EnSight Results from\b|Results for\sIMG \d)"),
}


def explain_lost_end(content: bytes) -> str:
    """Whose file it looks like where its end, by which it would be recognised, is missing."""
    head = content[:TAIL_BYTES].decode(detect_marked_encoding(content) or "utf-8", errors="replace")
    vendor = next((vendor for vendor, opening in OPENINGS.items() if opening.match(head)), None)
    return f"It looks like {vendor.display_name}, but its end is missing." if vendor else ""


def list_missing_ends(vendor: Vendor, content: bytes, *, encoding: str | None) -> Iterator[str]:
    """A word where a text of this vendor does not end as its software ends them."""
    if encoding is None or content.startswith(b"PK"):
        return
    text = content.decode(encoding, errors="replace")
    closing = CLOSINGS.get(vendor)
    if closing is not None and closing not in text[-TAIL_BYTES:]:
        yield f"The line “{closing}”, with which this software closes its files, is missing: the file may be cut off."
    if vendor is Vendor.CHEMOMETEC_NUCLEOVIEW and ";" in text[:TAIL_BYTES] and not text.rstrip().endswith("]"):
        yield "The line “//[…]”, with which this software closes its files, is missing: the file may be cut off."
    if vendor in END_LINES and not text.endswith(("\n", "\r")):
        yield "Its last line has no end, as this software would give it: the file may be cut off."
