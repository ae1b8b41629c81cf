"""Words by which a vendor's file is known where allotropy's sniffer, if it has one, asks for more than its parser.

They claim only: whether the file is read is the parser's word.
"""

import re
import zipfile
from collections.abc import Callable, Mapping

import openpyxl
from allotropy.named_file_contents import NamedFileContents
from allotropy.parser_factory import Vendor

HEAD_BYTES = 8192
SHEETS_OF_CALLS = {"Target_Call", "Target Call"}  # of Diomni 4.2 and 4.3
SHEETS_OF_RESULTS = {"Results", "Primary_result"}  # beside which it is an export of Design & Analysis
UNICORN_RESULT, UNICORN_CHROMATOGRAM = "Result.xml", ".Xml"
ECHO_WORDS = re.compile(r"Application Name\W|Transfer Volume|Source (Plate|Well)|Destination (Plate|Well)|\bEcho\b")
LIGHT_WORDS = re.compile(r"nm\b|\babs|wavelength|transmit|%T", re.IGNORECASE)
NEEDED_WORDS = {  # beside what allotropy's sniffer asks for: "Results" is what many call a sheet, and a section
    Vendor.BECKMAN_ECHO_CHERRY_PICK: ECHO_WORDS,
    Vendor.BECKMAN_ECHO_PLATE_REFORMAT: ECHO_WORDS,
    Vendor.CHEMOMETEC_NUCLEOVIEW: re.compile(
        r"^[^\w\n]*Viability \(%\)", re.MULTILINE
    ),  # a list of facts, and no column
    Vendor.THERMO_FISHER_GENESYS_ON_BOARD: LIGHT_WORDS,
    Vendor.THERMO_FISHER_VISIONLITE: LIGHT_WORDS,
    Vendor.APPBIO_QUANTSTUDIO: re.compile(
        r"^[^\w\n]*(Block|Instrument|Experiment|Calibration|Chemistry|Passive Reference)\b|Sample Setup"
        r"|Amplification Data|Multicomponent|Melt Curve|Raw Data\b|Well Position"
        r"|\b(Cq|C[Tt]|CT|Target Name|Reporter|Quencher)\b",
        re.MULTILINE,
    ),
    Vendor.UNCHAINED_LABS_LUNATIC: re.compile(  # "Sample name" stands in every other workbook
        r"\bA[2-9]\d\d\b|\(10 ?mm\)|Plate\s+Position|Client version|Unchained Labs|Hydrodynamic|Peak 1", re.IGNORECASE
    ),
    Vendor.APPBIO_QUANTSTUDIO_DESIGNANDANALYSIS: re.compile(
        r"Primary_result|Amplification Data|Multicomponent|Raw Data|Melt Curve|Standard Curve|Software Name"
        r"|(Block|Instrument|Experiment|Analysis) (Type|Name)|Well Position|\b(Cq|C[Tt]|Target|Reporter|Quencher)\b"
    ),
}
Sniffer = Callable[[NamedFileContents], bool]


def holds_target_calls(contents: NamedFileContents) -> bool:
    """A workbook of Diomni that holds its calls, without the results that Design & Analysis has."""
    sheets = set(openpyxl.load_workbook(contents.get_bytes_stream(), read_only=True).sheetnames)
    return bool(sheets & SHEETS_OF_CALLS) and not sheets & SHEETS_OF_RESULTS


def holds_unicorn_result(contents: NamedFileContents) -> bool:
    """A result of UNICORN whose archives within have no ending: its sniffer looks for a name that ends in .zip."""
    with zipfile.ZipFile(contents.get_bytes_stream()) as archive:
        names = archive.namelist()
    return all(any(name.endswith(end) for name in names) for end in (UNICORN_RESULT, UNICORN_CHROMATOGRAM))


def is_page_of_particles(contents: NamedFileContents) -> bool:
    """A page of PharmSpec that is called .xls, however long its head: its sniffer reads 4,000 bytes."""
    page = contents.get_bytes_stream().read()
    return page.lstrip()[:5].lower() == b"<html" and b"Particle Size" in page


def has_in_head(*patterns: bytes) -> Sniffer:
    """Whether all of these stand in the head of a text, wherever lines begin."""
    compiled = [re.compile(pattern, re.MULTILINE | re.IGNORECASE) for pattern in patterns]

    def holds_all(contents: NamedFileContents) -> bool:
        head = contents.get_bytes_stream().read(HEAD_BYTES)
        return all(pattern.search(head) for pattern in compiled)

    return holds_all


OWN_SNIFFERS: Mapping[Vendor, Sniffer] = {
    Vendor.BECKMAN_COULTER_BIOMEK: has_in_head(rb"^\W*Logged in user *=", rb",Pod\d,"),  # in any order, without names
    Vendor.BECKMAN_PHARMSPEC: is_page_of_particles,
    Vendor.BMG_MARS: has_in_head(rb"^\W*(User|Path|Test (ID|name)): ", rb"^,Raw Data"),
    Vendor.CHEMOMETEC_NUCLEOVIEW: has_in_head(rb"^Viability \(%\) *,", rb"^(Live|Total|Dead) \(cells/ml\) *,"),
    Vendor.CYTIVA_UNICORN: holds_unicorn_result,
    Vendor.THERMO_FISHER_DIOMNI: holds_target_calls,
    Vendor.THERMO_FISHER_GENESYS30: has_in_head(rb"^Scan[\t,]", rb"^wavelength\(nm\) *[\t,] *ABS"),
    Vendor.THERMO_FISHER_NANODROP_8000: has_in_head(  # without the column of plates
        rb"^\W*([^\r\n]*\t)?Well *\t[^\r\n]*\bDate *\t", rb"\t(260/280|cursor pos\.|nm 1) *[\t\r\n]"
    ),
    Vendor.THERMO_FISHER_NANODROP_EIGHT: has_in_head(  # with blanks in the place of the tab
        rb"^\W*application[ \t]*:", rb"^\W*serial number[ \t]*:"
    ),
    Vendor.THERMO_FISHER_QUBIT_FLEX: has_in_head(rb"^[^\r\n]*\bTest Date\b[^\r\n]*\bSample RFU\b"),  # below other lines
}
