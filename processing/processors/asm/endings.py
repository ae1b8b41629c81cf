"""How vendors' software begins and ends its text files: one that does otherwise lacks a part."""

import re
from collections.abc import Iterator, Sequence

from allotropy.parser_factory import Vendor

from processing.processors.asm.envision_plates import list_short_plates
from processing.processors.asm.quantstudio_sections import list_lost_wells
from processing.processors.asm.softmax_means import list_odd_means
from processing.processors.asm.softmax_plates import (
    list_broken_groups,
    list_lost_sections,
    list_odd_plates,
    list_outsiders,
)

TAIL_BYTES = 4096
LEAST_SEMICOLONS = 10  # of the form of NucleoView's files that has a checksum; another is apart by tabs
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
IMMUNOSPOT_PARTS = "Well areas covered by spots", "Total intensity of spots per well"  # the last one
GEN5_OPENING = (
    "Software Version",
    "Experiment File Path:",
    "Protocol File Path:",
    "Plate Number",
    "Date",
    "Time",
    "Reader Type:",
    "Reader Serial Number:",
)
QUANTSTUDIO_OPENING = (  # of its newer form; an older one has the half of them
    "* Block Type",
    "* Chemistry",
    "* Experiment Barcode",
    "* Experiment File Name",
    "* Experiment Name",
    "* Experiment Run End Time",
    "* Experiment Type",
    "* Instrument Name",
    "* Instrument Serial Number",
    "* Instrument Type",
    "* Passive Reference",
    "* Quantification Cycle Method",
    "* Signal Smoothing On",
    "* Stage/ Cycle where Analysis is performed",
)
ECHO_OPENING = (
    "Run ID,",
    "Run Date/Time,",
    "Application Name,",
    "Application Version,",
    "Protocol Name,",
    "User Name,",
)
OPENINGS = {
    Vendor.AGILENT_GEN5: GEN5_OPENING,
    Vendor.AGILENT_GEN5_IMAGE: GEN5_OPENING,
    Vendor.APPBIO_QUANTSTUDIO: QUANTSTUDIO_OPENING,
    Vendor.BECKMAN_ECHO_PLATE_REFORMAT: ECHO_OPENING,
}
NUCLEOVIEW_LINES = (  # of its older form; a count of cells may be missing, and the diameter has several names
    "Image;",
    "Operator;",
    "Viability (%);",
    "Dead (cells/ml);",
    "Total (cells/ml);",
    "Cell diameter standard deviation (um);",
    "(%) of cells in aggregates with five or more cells;",
    "Sample Volume (ul);",
    "Dilution Volume (ul);",
    "Multiplication factor;",
    "cm filename;",
    "Protocol template title;",
    "Protocol template purpose;",
    "Protocol template filename;",
    "Protocol adaptation title;",
    "Protocol adaptation purpose;",
    "Protocol adaptation filename;",
    "Instrument type;",
    "Instrument s/n;",
    "Date time;",
    "Time zone offset;",
    "Login ID;",
    "PC;",
    "Application SW version;",
    "21 CFR Part 11;",
    "Event log format;",
    "csv file version;",
)
NUCLEOVIEW_TABBED_LINES = (  # which are there, too, where nothing is behind them
    "Source ID:",
    "Time (UTC):",
    "Sample ID:",
    "Protocol:",
    "Software version:",
    "User:",
    "Operator:",
    "Instrument:",
    "Total (cells/ml):",
    "Live (cells/ml):",
    "Dead (cells/ml):",
    "Viability (%):",
    "Diameter (um):",
    "Aggregates (%):",
    "Debris Index:",
    "Dilution Factor:",
    "Status:",
)
SIGNS = {  # words by which a file is known whose own mark is lost; each stands at the beginning of a line
    Vendor.REVVITY_KALEIDO: r"EnSight Results from\b|Results for\sIMG \d",
    Vendor.AGILENT_GEN5: r"(Experiment|Protocol) File Path:\t|Reader Type:\tSynergy",
    Vendor.METHODICAL_MIND: r"(Plate #|Barcode\d|Stack ID|Wells Per (Row|Col)|Spots Per Well) *: *\t",
    Vendor.BMG_MARS: r",?Raw Data \(|User: [^\n]*Path: [^\n]*\\BMG\\|Test name: [^\n]*Date: ",
    Vendor.APPBIO_QUANTSTUDIO: r"\* (Block Type|Instrument Type) *=|\[(Sample Setup|Amplification Data)\]",
    Vendor.BECKMAN_ECHO_PLATE_REFORMAT: r"Application Name,[^\n]*Echo|\[(DETAILS|EXCEPTIONS)\]",
    Vendor.CHEMOMETEC_NC_VIEW: r"[^\n]*,Via\d-Cassette,",
    Vendor.CHEMOMETEC_NUCLEOVIEW: r"(Secure Mode status|Debris Index):\t|(Live|Dead|Total) \(cells/ml\);",
    Vendor.APPBIO_ABSOLUTE_Q: r"[^\n]*,Absolute Q \d",
    Vendor.LUMINEX_INTELLIFLEX: r"[^\n]*xMAP INTELLIFLEX",
    Vendor.LUMINEX_XPONENT: r'"?Program"?,"?xPONENT|"?(ComputerName|ProtocolVersion|ProtocolDescription)"?,',
    Vendor.MOLDEV_SOFTMAX_PRO: r"##BLOCKS *=|Original Filename:|Plate:\t[^\n]*\t(Plate|Time)Format\t",
    Vendor.PERKIN_ELMER_ENVISION: r"Exported with EnVision",
    Vendor.BECKMAN_COULTER_BIOMEK: r"(Logged in user|Unit serial number) = |Pod\d head serial number = ",
    Vendor.ROCHE_CEDEX_BIOHT: r"[^\n]*#ARC-FILE#|\d+\t[\d-]{10} [\d:]{8}\t(?:[^\t\n]*\t){2,3}SAM\t",
    Vendor.THERMO_FISHER_GENESYS30: r"wavelength\(nm\) ?\t ?ABS",
    Vendor.REVVITY_MATRIX: r"(Results|Scanresult) Timestamp,|Well Name,Live Count,",
    Vendor.MSD_WORKBENCH: r"Sample,Assay,Well,Spot,",
    Vendor.THERMO_FISHER_NANODROP_EIGHT: r"Sample Id\tSample Name\tDate & Time\tLocation\t"
    r"|Application:\t[^\n]*(DNA|RNA|Protein|UV)|Serial Number:\tND",
    Vendor.UNCHAINED_LABS_LUNATIC: r"Plate type,(Lunatic|Stunner)",
    Vendor.CTL_IMMUNOSPOT: r"(File path|Machine ID|Software version): [^\n]*ImmunoSpot",
}
STARRED_BELOW = re.compile(r"^\[[^\n]*\][ \t\r]*\n[\s\S]*?^\* [^\n=]+ = ", re.MULTILINE)
STARRED = re.compile(r"^\* ([^\n=]+?) *=", re.MULTILINE)
KNOWN_SIGNS = {vendor: re.compile(rf"^\s*({sign})", re.MULTILINE) for vendor, sign in SIGNS.items()}


def explain_lost_part(content: bytes) -> str:
    """Whose file it looks like where that by which it would be recognised is missing."""
    ends = (content[:TAIL_BYTES], content[TAIL_BYTES:][-TAIL_BYTES:])
    head = "\n".join(one.replace(b"\0", b"").decode("utf-8", errors="replace") for one in ends)  # its mark may be lost
    vendor = next((vendor for vendor, sign in KNOWN_SIGNS.items() if sign.search(head)), None)
    return f"It looks like {vendor.display_name}, but a part of it is missing." if vendor else ""


def list_missing_parts(vendor: Vendor, content: bytes, *, encoding: str | None) -> Iterator[str]:
    """A word where a text of this vendor does not begin and end as its software has them."""
    if encoding is None or content.startswith(b"PK"):
        return
    text = content.decode(encoding, errors="replace")
    yield from list_missing_openings(vendor, text)
    yield from list_missing_ends(vendor, text)
    if vendor is Vendor.APPBIO_QUANTSTUDIO and STARRED_BELOW.search(text):
        yield "A line of its head (“* …”) stands below a section: lines may have changed places."
    if vendor is Vendor.APPBIO_QUANTSTUDIO and (twice := find_twice(STARRED.findall(text[:TAIL_BYTES]))):
        yield f"The line “* {twice[:40]}” stands twice in its head: lines may stand there twice."
    if vendor is Vendor.APPBIO_QUANTSTUDIO:
        yield from list_lost_wells(text)
    if vendor is Vendor.PERKIN_ELMER_ENVISION:
        yield from list_short_plates(text)
    if vendor is Vendor.MOLDEV_SOFTMAX_PRO:
        for list_doubts in (list_odd_plates, list_outsiders, list_lost_sections, list_broken_groups, list_odd_means):
            yield from list_doubts(text)


def find_twice(names: list[str]) -> str:
    """The first that is there again; empty: none is."""
    return next((name for place, name in enumerate(names) if name in names[:place]), "")


def list_missing_openings(vendor: Vendor, text: str) -> Iterator[str]:
    begun = [line.lstrip("\ufeff") for line in text[:TAIL_BYTES].splitlines()]
    openings = list_openings(vendor, text)
    places = [next((place for place, line in enumerate(begun) if line.startswith(one)), None) for one in openings]
    missing = [opening.strip("*:;, ") for opening, place in zip(openings, places, strict=True) if place is None]
    if len(missing) == 1:
        yield f"The line “{missing[0]}”, which this software writes, is missing: the file may be damaged."
    elif missing:
        more = f"“{missing[0]}” and {len(missing) - 1} more"
        yield f"The lines {more}, which this software writes, are missing: the file may be damaged."
    often = {text.count(f"\n{opening}") for opening in openings if opening.endswith(":")}
    if len(often - {0}) > 1:  # a file of several plates has them as often as plates
        yield "A line of its head stands there more often than others: parts may stand there twice."
    known = [place for place in places if place is not None]
    if known != sorted(known):
        yield "The lines of its head are not in the order in which this software writes them: parts may have moved."


def list_openings(vendor: Vendor, text: str) -> Sequence[str]:
    """How the lines begin that stand in the head of every export, in this order."""
    if vendor in OPENINGS:
        openings = OPENINGS[vendor]
        is_of_few = vendor is Vendor.APPBIO_QUANTSTUDIO and 2 * sum(one in text for one in openings) <= len(openings)
        return () if is_of_few else openings  # a head that somebody cut down
    if vendor is Vendor.CHEMOMETEC_NUCLEOVIEW and is_older_nucleoview(text):
        return NUCLEOVIEW_LINES
    return NUCLEOVIEW_TABBED_LINES if vendor is Vendor.CHEMOMETEC_NUCLEOVIEW and ":\t" in text else ()


def is_older_nucleoview(text: str) -> bool:
    return text[:TAIL_BYTES].count(";") >= LEAST_SEMICOLONS


def list_missing_ends(vendor: Vendor, text: str) -> Iterator[str]:
    closing = CLOSINGS.get(vendor)
    if closing is not None and closing not in text[-TAIL_BYTES:]:
        yield f"The line “{closing}”, with which this software closes its files, is missing: the file may be cut off."
    if (
        vendor is Vendor.CHEMOMETEC_NUCLEOVIEW
        and is_older_nucleoview(text)
        and not text.rstrip("; \t\r\n").endswith("]")
    ):
        yield "The line “//[…]”, with which this software closes its files, is missing: the file may be cut off."
    if vendor is Vendor.CTL_IMMUNOSPOT and IMMUNOSPOT_PARTS[0] in text and IMMUNOSPOT_PARTS[1] not in text:
        yield f"The part “{IMMUNOSPOT_PARTS[1]}”, which follows others in its files, is missing: it may be cut off."
    if vendor is Vendor.AGILENT_GEN5_IMAGE and "\nLayout" in text and "\nResults" not in text:
        yield "It says what lies in its wells, and has no results: the file may be cut off."
    last = text.rpartition("\n")[2]
    if vendor is Vendor.AGILENT_GEN5 and last.strip() and "\t" not in last:
        yield "It ends with a heading, where this software has rows: the file may be cut off."
    if vendor in END_LINES and not text.endswith(("\n", "\r")):
        yield "Its last line has no end, as this software would give it: the file may be cut off."
