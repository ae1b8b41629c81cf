"""What vendors' own programs store, read by the library openreadout: known by first bytes, else by the ending."""

import re

from processing.readings import GIB, InstrumentType, Limits

BINARY_STARTS = (
    b"\x01\xa1F\0i\0n\0n\0i\0g\0a\0n\0",  # Thermo RAW
    *(b"Spectral Data File", b"Spectral Exte File"),  # Thermo OMNIC
    b"PEPE",  # PerkinElmer Spectrum
    *(b"RAW4.00", b"RAW2", b"RAW "),  # Bruker DIFFRAC; RAW1.01 has a reader of ours
    *(b"ABF ", b"ABF2"),  # Axon
    *(b"DAT1\0", b"DAT2\0"),  # HEKA PatchMaster
    *(b"\x02\x27\x91\xc6", b"\xac\x27\x91\xd6"),  # Intan
    *(b"NEURALSG", b"NEURALCD", b"NEURALEV", b"BRSMPGRP", b"BREVENTS"),  # Blackrock
    *(b"PLEX", b"######## Neuralynx"),
    b"BIO-LOGIC MODULAR FILE",
    b"NEWARE",
    *(b"JEOL.NMR", b"RMN.LEOJ"),
    *(b"OLYMPUSRAWFORMAT", b"DCIMG", b"###CBF"),
    *(b"WIT_PR06", b"WIT_PRCT", b"WIT^PRCT"),
)
TEXT_STARTS = (
    b"ATF\t",  # Axon; GenePix results, which begin so too, have a reader of ours
    b"EC-Lab ASCII FILE",
    b"$ITC",  # MicroCal
    *(b"*RAS_DATA_START", b"*RAS_HEADER_START"),  # Rigaku
)
CED_START = re.compile(rb"..\(C\) CED 87", re.DOTALL)
SMV_START = re.compile(rb"\{\s*HEADER_BYTES=")
ENDINGS = (
    *("spa", "spg", "srs", "sp", "jws", "jrs", "wip", "wid", "dsw", "bsw", "bsk"),  # spectroscopy
    *("brml", "ras", "rasx", "cbf"),  # diffraction
    *("ch", "uv", "ms", "lcd", "gcd", "qgd", "cmbx", "arw", "res"),  # chromatography
    *("abf", "atf", "smr", "smrx", "rhd", "rhs", "plx", "pl2", "wcp", "ncs", "nev"),  # electrophysiology
    *(f"ns{rate}" for rate in range(1, 7)),
    *("mpr", "mpt", "dta", "nda", "ndax"),  # electrochemistry
    *("tri", *(f"ngb-{kind}" for kind in ("ss3", "bs3", "ds3", "sd7", "bd7", "dla", "cla"))),  # thermal analysis
    *("itc", "frd", "dts", "asyr"),  # binding, sizing, metabolism
    *("eds", "rdml", "rdm", "lc96p", "ixo", "rex"),  # qPCR
    "jdf",  # NMR
    *("zvi", "oib", "oir", "dcimg", "mrc", "mrcs", "dm3", "dm4", "ser", "sgd", "nii"),  # images
)


def is_own_format(head: bytes) -> bool:
    """A text that begins with the same letters is none."""
    is_binary = head.startswith(BINARY_STARTS) and b"\0" in head
    return is_binary or head.startswith(TEXT_STARTS) or bool(CED_START.match(head) or SMV_START.match(head))


OWN_FORMATS_TYPE = InstrumentType(
    "own-format",
    "Vendor's own format",
    ENDINGS,
    "processing.processors.own_formats.reader:read",
    is_own_format,
    Limits(input_bytes=2 * GIB, memory_bytes=3 * GIB, seconds_per_gib=120),
)
