"""The sign for micro: Unicode has two that look alike, and parsers look for the one that they were written with."""

from allotropy.parser_factory import Vendor

MICRO, GREEK_MU = "\u00b5", "\u03bc"
WITH_GREEK_MU = {
    Vendor.APPBIO_ABSOLUTE_Q,
    Vendor.BECKMAN_VI_CELL_BLU,
    Vendor.CHEMOMETEC_NC_VIEW,
    Vendor.QIACUITY_DPCR,
    Vendor.THERMO_FISHER_QUBIT4,
}
WITH_BOTH = {Vendor.THERMO_FISHER_NANODROP_EIGHT}


def write_micro(content: bytes, vendor: Vendor, encoding: str | None) -> tuple[bytes, str | None]:
    """A text with the sign that this vendor's parser knows, and its encoding; as it was where it has no other."""
    if encoding is None or vendor in WITH_BOTH:
        return content, encoding
    other, known = (MICRO, GREEK_MU) if vendor in WITH_GREEK_MU else (GREEK_MU, MICRO)
    if content.isascii():
        return content, encoding
    text = content.decode(encoding, errors="replace")
    return (text.replace(other, known).encode(), "utf-8") if other in text else (content, encoding)
