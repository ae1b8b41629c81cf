"""How the formats of chromatography, spectrometry and spectroscopy are told from all others. None of these raises."""

import math
import re
import struct
from itertools import pairwise

from processing.text_encoding import detect_marked_encoding, detect_wide_encoding

ASM_KEY = re.compile(rb'"\$asm\.manifest"\s*:|"[^"{}\[\]]{1,60} aggregate document"\s*:\s*\{')
SPC_VERSIONS = {0x4B: "<", 0x4C: ">"}
SPC_OLD_VERSION = 0x4D
LOCAL_HEADER = b"PK\x03\x04"
NMR_MEMBER = re.compile(rb"(?:^|/)(?:acqus?$|procpar$|fid$|ser$|pdata/)")
PEAKS_START = re.compile(
    rb"(?:\s*=+[^=\r\n]+=+)?\s*(?P<mass>\d{2,5}\.\d+)[ \t]+(?:(?P<third>\d[\d.eE+]*)[ \t]+)?[0-9][ \t]*\r?\n"
    rb"(?P<rows>\d+\.\d+[ \t]+\d[\d.eE+-]*[ \t]*\r?\n)"
)
PEAK_NUMBER = re.compile(rb"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
LEAST_PEAKS = 4
THERMAL_MARKS = (  # NETZSCH, PerkinElmer, TA, Mettler
    re.compile(r'\A"?#EXPORTTYPE:'),
    re.compile(r"\AFilename:\t[\s\S]*^Total Points in Run:", re.MULTILINE),
    re.compile(r"\A(?:CLOSED\s+)?Version\t[\s\S]*^(?:InstSerial|Nsig)\t", re.MULTILINE),
    re.compile(r"^Curve Name:\n[\s\S]*?^Curve Values:\n", re.MULTILINE),
)


def is_asm(head: bytes) -> bool:
    """JSON that names its Allotrope manifest, or begins with the aggregate document of a technique."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start.startswith(b"{") and ASM_KEY.search(start) is not None


def is_netcdf(head: bytes) -> bool:
    """Classic NetCDF, with offsets of 32 or of 64 bits."""
    return head.startswith((b"CDF\x01", b"CDF\x02"))


def is_mzxml(head: bytes) -> bool:
    return re.search(rb"<mzXML[\s>]", head) is not None


def is_pepxml(head: bytes) -> bool:
    return re.search(rb"<(?:\w+:)?msms_pipeline_analysis[\s>]", head) is not None


def is_mzidentml(head: bytes) -> bool:
    return re.search(rb"<(?:\w+:)?MzIdentML[\s>]", head) is not None


def is_tandem(head: bytes) -> bool:
    """Its root, which says what it is a result of, or a group of models."""
    return re.search(rb"<bioml[\s>]", head) is not None and re.search(rb"<group\s|tandem-style", head) is not None


def is_mgf(head: bytes) -> bool:
    return re.search(rb"^BEGIN IONS[ \t]*\r?$", head, re.MULTILINE) is not None


def is_ms1(head: bytes) -> bool:
    """MS1 and MS2: header lines, then a spectrum's two scan numbers."""
    return re.match(rb"(?:H\t[^\n]*\n)+S\t\d+\t\d+", head) is not None


def is_bare_peaks(head: bytes) -> bool:
    """DTA and PKL: a line for a precursor, then pairs of rising masses and their intensities, and nothing else.

    The precursor of DTA weighs more than the first mass, and its charge is one digit; so a table of points is none.
    """
    found = PEAKS_START.match(head)
    if found is None:
        return False
    rows = [line.split() for line in head[found.start("rows") :].rpartition(b"\n")[0].splitlines() if line.strip()]
    first = [row for row in rows if len(row) == 2 and not row[0].startswith(b"=")][:LEAST_PEAKS]
    masses = [float(row[0]) for row in first if PEAK_NUMBER.fullmatch(row[0]) and PEAK_NUMBER.fullmatch(row[1])]
    is_rising = len(masses) == LEAST_PEAKS and all(one < other for one, other in pairwise(masses))
    return is_rising and (found["third"] is not None or float(found["mass"]) > masses[0])


def is_spc(head: bytes) -> bool:
    """The version, and a header whose axes and numbers are possible: one byte alone would be no mark."""
    least = 256 if head[1:2] == bytes([SPC_OLD_VERSION]) else 512
    if len(head) < least or head.startswith((b"PK", b"BM", b"MM", b"OK")):
        return False
    if head[1] in SPC_VERSIONS:
        order = SPC_VERSIONS[head[1]]
        points, first, last, spectra, x_type, y_type, z_type = struct.unpack_from(f"{order}iddiBBB", head, 4)
    elif head[1] == SPC_OLD_VERSION:
        points, first, last, x_type, y_type = struct.unpack_from("<fffBB", head, 4)
        spectra, z_type = 1, 0
    else:
        return False
    are_numbers = all(math.isfinite(number) and abs(number) < 1e9 for number in (points, first, last))
    are_axes = (x_type <= 30 or x_type == 255) and z_type <= 30 and (y_type <= 26 or 128 <= y_type <= 131)
    has_own_x, counts_each = head[0] & 0xC0, head[0] & 0x40  # then each spectrum says how many points it has
    has_points = points >= (0 if counts_each else 1)
    return are_numbers and are_axes and 0 <= spectra < 10**6 and has_points and (first != last or bool(has_own_x))


def is_opus(head: bytes) -> bool:
    return head.startswith(b"\x0a\x0a\xfe\xfe")


def is_nmr_archive(head: bytes) -> bool:
    """A ZIP archive among whose first members are the files of an NMR experiment."""
    if not head.startswith(LOCAL_HEADER):
        return False
    names = (
        head[
            found.start() + 30 : found.start()
            + 30
            + int.from_bytes(head[found.start() + 26 : found.start() + 28], "little")
        ]
        for found in re.finditer(re.escape(LOCAL_HEADER), head)
    )
    return any(NMR_MEMBER.search(name) for name in names)


def is_nmrpipe(head: bytes) -> bool:
    """Two constants that tell how numbers are written, in either byte order."""
    return head[4:12] in (b"\xef\xee\x6e\x4f\x7b\x14\x16\x40", b"\x4f\x6e\xee\xef\x40\x16\x14\x7b")


def is_sparky(head: bytes) -> bool:
    """Its name, and two to four axes."""
    return head.startswith(b"UCSF NMR\0") and head[10:11] in (b"\2", b"\3", b"\4")


def is_thermal_text(head: bytes) -> bool:
    """The exports of NETZSCH Proteus, PerkinElmer Pyris, TA Universal Analysis and Mettler STARe."""
    even = head[: len(head) // 2 * 2]
    encoding = detect_marked_encoding(even) or detect_wide_encoding(even) or "latin-1"
    text = even.decode(encoding, errors="ignore").replace("\r\n", "\n").replace("\r", "\n")
    return any(mark.search(text) for mark in THERMAL_MARKS)


def is_animl(head: bytes) -> bool:
    return re.search(rb"<(?:\w+:)?AnIML[\s>]", head) is not None


def is_wdf(head: bytes) -> bool:
    """Renishaw's first block, of its fixed size."""
    return head.startswith(b"WDF1") and head[8:16] == b"\x00\x02\0\0\0\0\0\0"


def is_bruker_parameters(head: bytes) -> bool:
    """It begins as JCAMP-DX does, and says what it is."""
    return re.match(rb"##TITLE= ?Parameter file, (?:TOPSPIN|XWIN-NMR)", head, re.IGNORECASE) is not None


def is_procpar(head: bytes) -> bool:
    """The first parameter of a Varian experiment: its name and ten numbers, and a line with its values."""
    return re.match(rb"\w+( -?\d[\d.e+-]*){10} ?\r?\n\d+ ", head) is not None
