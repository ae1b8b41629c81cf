"""Built-in types of single formats, each told by its first bytes whatever the instrument."""

import re

from processing.readings import GIB, MIB, InstrumentType, Limits
from processing.recognition import signatures

LARGE = Limits(input_bytes=512 * MIB)
SEQUENCING = "processing.processors.sequencing"
FASTQ_START = re.compile(rb"@[^\r\n]+\r?\n(?:[A-Za-z.*-]+\r?\n)+\+[^\r\n]*\r?\n")
FASTA_START = re.compile(rb">[^\s>][^\r\n]*\r?\n(?:[ACGTUNRYKMSWBDHVacgtunrykmswbdhv-]{20,}|[A-Z*-]{20,})[\r\n]")
EMBL_START = re.compile(rb"ID   \S+(?:; | IMGT/)")
QUAL_START = re.compile(rb">[^\s>][^\r\n]*\r?\n(?:\d{1,2}[ \t]+){4,}\d{1,2}\s")
PHD_START = re.compile(rb"(?:\s|#[^\r\n]*[\r\n])*BEGIN_SEQUENCE ")
GENBANK_START = re.compile(rb"\s*(?:\S+\.SEQ +Genetic Sequence Data Bank[\r\n][\x20-\x7e\r\n]*?[\r\n])?LOCUS       ")
OMNILOG_WELLS = re.compile(rb'"measurements"\s*:\s*\{\s*"(?:Hour|[A-H](?:0[1-9]|1[0-2]))"\s*:\s*\[')
OMNILOG_TEXT = re.compile(
    rb'(?:\xef\xbb\xbf)?"?Data File"?[,;][^\r\n]*\r?\n(?:[^\r\n]*\r?\n){1,20}?"?Hour"?[,;][ ]*"?[A-H]\d\d'
)
ACE_START = re.compile(rb"\s*AS \d+ \d+\s+CO ")
HDF5_START = b"\x89HDF\r\n\x1a\n"
MOLFILE_START = re.compile(rb"(?:[^\r\n]*\r?\n){3}[ \d]{6}[^\r\n]*V[23]000")
XDNA_START = re.compile(rb"\0[\1-\4][\0\1].{108}\xff[A-Za-z*-]{4}", re.DOTALL)
ZIP_HEADER = 30  # bytes before the name of its first member
ALIGNMENT_START = re.compile(
    rb"(?:CLUSTAL|PROBCONS|MUSCLE|MSAPROBS|Kalign)\b[^\r\n]*(?:alignment|[\d.]+\))|# STOCKHOLM 1\.|(?i:#NEXUS\s)"
    rb"|##maf version|!!(?:NA|AA)_MULTIPLE_ALIGNMENT|PileUp\s"
)
DIFFRACTION_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:SampleIdent,|SIETRONICS XRD SCAN|\*TYPE\s*=|"
    rb"(?:;[^\r\n]*[\r\n]\s*)*_(?:FILEVERSION|SAMPLE|SITE|DRIVE)\s*=)"
)
GSAS_BANK = re.compile(rb"^BANK +\d+ +\d+ +\d+ +(?:CONST?|CONQ|SLOG|RALF|LOG6|LPSD|EDS|TIME_MAP|COND)\b", re.MULTILINE)
SNAPGENE_START = b"\x09\x00\x00\x00\x0eSnapGene"


def is_abif(head: bytes) -> bool:
    return head.startswith(b"ABIF")


def is_scf(head: bytes) -> bool:
    return head.startswith(b".scf")


def is_fastq(head: bytes) -> bool:
    return FASTQ_START.match(head) is not None


def is_fasta(head: bytes) -> bool:
    return FASTA_START.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def is_qual(head: bytes) -> bool:
    return QUAL_START.match(head) is not None


def is_genbank(head: bytes) -> bool:
    """Also behind the head of a release of the data bank."""
    return GENBANK_START.match(head) is not None


def is_embl(head: bytes) -> bool:
    return EMBL_START.match(head) is not None


def is_snapgene(head: bytes) -> bool:
    return head.startswith(SNAPGENE_START)


def is_xdna(head: bytes) -> bool:
    """Version 0, a kind and a topology that there are, the mark at the end of its head, and residues."""
    return XDNA_START.match(head) is not None


def is_gck(head: bytes) -> bool:
    """Two lengths that all have, then the length of the packet whose sequence is as long as it says."""
    packet, sequence = int.from_bytes(head[24:28]), int.from_bytes(head[28:32])
    return head[4:8] == head[8:12] == b"\0\0\0\x0c" and 0 < sequence <= packet - 4


def is_pir(head: bytes) -> bool:
    return re.match(rb">(?:P1|F1|D[LC1]|R[LC1]|N[13]|XX);[^\r\n]+\r?\n[^\r\n]*\r?\n[A-Za-z*\s]", head) is not None


def is_seqxml(head: bytes) -> bool:
    return re.search(rb"<seqXML[\s>]", head) is not None


def is_sff(head: bytes) -> bool:
    return head.startswith(b".sff\0\0\0\x01")


def is_ace(head: bytes) -> bool:
    return ACE_START.match(head) is not None


def is_phd(head: bytes) -> bool:
    return PHD_START.match(head) is not None


def is_hdf5(head: bytes) -> bool:
    """At the beginning, or behind a user's block of a power of two."""
    return any(head[at : at + 8] == HDF5_START for at in (0, 512, 1024, 2048, 4096))


def is_parquet(head: bytes) -> bool:
    return head.startswith(b"PAR1")


def is_arrow(head: bytes) -> bool:
    return head.startswith((b"ARROW1\0\0", b"FEA1"))


def is_npy(head: bytes) -> bool:
    return head.startswith(b"\x93NUMPY")


def is_matlab(head: bytes) -> bool:
    """Of versions 5 to 7.2; older ones have no mark, newer ones are HDF5."""
    return head.startswith(b"MATLAB 5.0 MAT-file") and head[126:128] in (b"IM", b"MI")


def is_npz(head: bytes) -> bool:
    """An archive whose first member is called as an array, and is one where nothing packs it."""
    name = head[ZIP_HEADER : ZIP_HEADER + int.from_bytes(head[26:28], "little")]
    return head.startswith(b"PK\3\4") and name.endswith(b".npy")


def is_alignment(head: bytes) -> bool:
    """PHYLIP, which begins with two numbers as much else does, is known by its name alone."""
    return ALIGNMENT_START.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def is_xrdml(head: bytes) -> bool:
    return b"<xrdMeasurements" in head


def is_bruker_raw(head: bytes) -> bool:
    return head.startswith(b"RAW1.01\0")


def is_diffraction_text(head: bytes) -> bool:
    """Philips UDF, Sietronics CPI, Rigaku's texts, Bruker UXD, or a bank of GSAS."""
    return DIFFRACTION_START.match(head) is not None or GSAS_BANK.search(head) is not None


def is_vamas(head: bytes) -> bool:
    return head.lstrip().startswith(b"VAMAS Surface Chemical Analysis Standard Data Transfer Format")


def is_cel(head: bytes) -> bool:
    return head.startswith((b"[CEL]", b"\x40\0\0\0\x04\0\0\0"))


def is_gpr(head: bytes) -> bool:
    return head.startswith(b"ATF") and b"GenePix Results" in head


def is_molfile(head: bytes) -> bool:
    return MOLFILE_START.match(head) is not None


def is_omnilog(head: bytes) -> bool:
    """JSON of opm or DuctApe, or the program's own text, which begins with its file and names hours and wells."""
    if OMNILOG_TEXT.match(head):
        return True
    is_json = head.lstrip()[:1] in (b"{", b"[")
    is_fitted = b'"aggr_settings"' in head and b'"aggregated"' in head  # opm writes these before what was measured
    has_wells = OMNILOG_WELLS.search(head) is not None
    return is_json and (is_fitted or has_wells or (b'"measurements"' in head and b'"Hour"' in head))


SIGNED_TYPES = (
    InstrumentType(
        "xrdml", "XRDML diffractogram", ("xrdml",), "processing.processors.diffraction.xrdml:read", is_xrdml
    ),
    InstrumentType(
        "bruker-raw", "Bruker RAW diffractogram", (), "processing.processors.diffraction.bruker_raw:read", is_bruker_raw
    ),
    InstrumentType(
        "diffraction-text",
        "Diffractogram as text",
        ("udf", "uxd", "cpi", "gsa", "gsas", "gss", "gda", "fxye", "dbw", "rit"),
        "processing.processors.diffraction.texts:read",
        is_diffraction_text,
    ),
    InstrumentType("vamas", "VAMAS spectra", ("vms",), "processing.processors.vamas:read", is_vamas),
    InstrumentType("cel", "Affymetrix CEL", ("cel",), "processing.processors.microarray:read_cel", is_cel),
    InstrumentType("gpr", "GenePix results", ("gpr",), "processing.processors.microarray:read_gpr", is_gpr),
    InstrumentType("molfile", "MDL molfile", ("mol",), "processing.processors.molfile:read", is_molfile),
    InstrumentType("omnilog", "Biolog OmniLog", (), "processing.processors.omnilog:read", is_omnilog),
    InstrumentType(
        "hdf5",
        "HDF5 and NeXus",
        ("h5", "hdf5", "hdf", "nxs", "nx5"),
        "processing.processors.hdf5.reader:read",
        is_hdf5,
        LARGE,
    ),
    InstrumentType("parquet", "Parquet", ("parquet",), "processing.processors.parquet:read", is_parquet, LARGE),
    InstrumentType(
        "arrow",
        "Arrow and Feather",
        ("arrow", "arrows", "feather", "ipc"),
        "processing.processors.arrow_ipc:read",
        is_arrow,
        LARGE,
    ),
    InstrumentType("matlab", "MATLAB variables", ("mat",), "processing.processors.matlab:read", is_matlab, LARGE),
    InstrumentType("npy", "NumPy array", ("npy",), "processing.processors.numpy_arrays:read_npy", is_npy, LARGE),
    InstrumentType("npz", "NumPy arrays", ("npz",), "processing.processors.numpy_arrays:read_npz", is_npz, LARGE),
    InstrumentType(
        "dicom",
        "DICOM",
        ("dcm", "dicom"),
        "processing.processors.dicom.reader:read",
        signatures.is_dicom,
        Limits(input_bytes=512 * MIB, memory_bytes=2 * GIB),
    ),
    InstrumentType("abif", "ABIF trace", ("ab1", "abi", "fsa"), f"{SEQUENCING}.abif:read", is_abif),
    InstrumentType("scf", "SCF trace", ("scf",), f"{SEQUENCING}.scf:read", is_scf),
    InstrumentType("fastq", "FASTQ reads", ("fastq", "fq"), f"{SEQUENCING}.fastq:read", is_fastq, LARGE),
    InstrumentType(
        "fasta", "FASTA", ("fasta", "fa", "fna", "faa", "ffn"), f"{SEQUENCING}.records:read_fasta", is_fasta, LARGE
    ),
    InstrumentType("qual", "QUAL qualities", ("qual",), f"{SEQUENCING}.fastq:read_qual", is_qual, LARGE),
    InstrumentType("genbank", "GenBank", ("gb", "gbk", "gbff", "gp"), f"{SEQUENCING}.records:read_genbank", is_genbank),
    InstrumentType("embl", "EMBL", ("embl", "imgt"), f"{SEQUENCING}.records:read_embl", is_embl),
    InstrumentType("snapgene", "SnapGene", ("dna",), f"{SEQUENCING}.records:read_snapgene", is_snapgene),
    InstrumentType("xdna", "XDNA", ("xdna",), f"{SEQUENCING}.records:read_xdna", is_xdna),
    InstrumentType("gck", "Gene Construction Kit", ("gck",), f"{SEQUENCING}.records:read_gck", is_gck),
    InstrumentType("pir", "PIR", ("pir",), f"{SEQUENCING}.records:read_pir", is_pir),
    InstrumentType("seqxml", "SeqXML", ("seqxml",), f"{SEQUENCING}.seqxml:read", is_seqxml),
    InstrumentType(
        "alignment",
        "Sequence alignment",
        ("aln", "clustal", "clw", "sto", "stk", "stockholm", "nex", "nexus", "phy", "phylip", "msf"),
        f"{SEQUENCING}.alignments:read",
        is_alignment,
    ),
    InstrumentType("sff", "SFF reads", ("sff",), f"{SEQUENCING}.assemblies:read_sff", is_sff),
    InstrumentType("ace", "ACE assembly", ("ace",), f"{SEQUENCING}.assemblies:read_ace", is_ace),
    InstrumentType("phd", "PHD base calls", ("phd",), f"{SEQUENCING}.assemblies:read_phd", is_phd),
)
