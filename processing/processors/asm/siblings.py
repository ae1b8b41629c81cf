"""Vendors whose exports look alike: which word in the file tells them apart.

Their parsers read each other's files without complaint, so success proves nothing between them.
"""

import re
from collections.abc import Mapping, Sequence

from allotropy.parser_factory import Vendor

Words = Mapping[Vendor, re.Pattern[str]]
SIBLINGS: tuple[Words, ...] = (
    {
        Vendor.BECKMAN_ECHO_CHERRY_PICK: re.compile(r"Application Name\W+.*Cherry Pick", re.IGNORECASE),
        Vendor.BECKMAN_ECHO_PLATE_REFORMAT: re.compile(r"Application Name\W+.*Plate Reformat", re.IGNORECASE),
    },
    {
        Vendor.LUMINEX_INTELLIFLEX: re.compile(r"INTELLIFLEX"),
        Vendor.LUMINEX_XPONENT: re.compile(r"xPONENT"),
    },
    {  # both write the plates of MSD's readers; one of them tabs as a backslash and a t
        Vendor.METHODICAL_MIND: re.compile(r"^Plate #\s*:\\t", re.MULTILINE),
        Vendor.MSD_WORKBENCH: re.compile(r"^Plate_|Workbench", re.MULTILINE),
    },
    {  # Flex systems are run by the RT-PCR software, the others by Design & Analysis
        Vendor.APPBIO_QUANTSTUDIO: re.compile(r"Instrument Type\t[^\t\n]*(?:Flex|ViiA)"),
        Vendor.APPBIO_QUANTSTUDIO_DESIGNANDANALYSIS: re.compile(
            r"Software Name and Version|Design (?:&|and) Analysis|Primary_result"
            r"|Instrument Type\t[^\t\n]*QuantStudio\W+(?:TM\W+)?(?:[135]\b|Absolute|[67] Pro)"
        ),
    },
)


def settle_siblings(claiming: Sequence[Vendor], *, head: str, extension: str) -> list[Vendor]:
    """The claiming vendors, of siblings only the one whose word stands in the head; all of them where none does."""
    settled = list(claiming)
    for words in SIBLINGS:
        if words.keys().isdisjoint(settled):
            continue
        named = [vendor for vendor, word in words.items() if word.search(head)]
        possible = [vendor for vendor in words if extension in vendor.supported_extensions]
        kept = named if len(named) == 1 else possible
        settled = [vendor for vendor in settled if vendor not in words]
        settled += [vendor for vendor in kept if extension in vendor.supported_extensions]
    return settled
