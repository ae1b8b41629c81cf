"""The formats of chromatography, spectrometry, spectroscopy and thermal analysis, each known by its first bytes."""

from processing.readings import MIB, FolderRule, InstrumentType, Limits
from processing.recognition import analytical_signatures as signatures

LARGE = Limits(input_bytes=512 * MIB)
ASM_TYPE = InstrumentType(
    "asm", "Allotrope Simple Model", (), "processing.processors.asm.document_reader:read", signatures.is_asm
)
ANDI_TYPE = InstrumentType(
    "andi",
    "ANDI chromatography or mass spectrometry",
    ("cdf", "nc"),
    "processing.processors.andi:read",
    signatures.is_netcdf,
)
MASS_SPECTROMETRY = "processing.processors.mass_spectrometry"
MZXML_TYPE = InstrumentType("mzxml", "mzXML", ("mzxml",), f"{MASS_SPECTROMETRY}.mzxml:read", signatures.is_mzxml, LARGE)
MGF_TYPE = InstrumentType(
    "mgf", "Mascot generic format", ("mgf",), f"{MASS_SPECTROMETRY}.peak_lists:read_mgf", signatures.is_mgf
)
MS1_TYPE = InstrumentType(
    "ms1", "MS1 and MS2 text", ("ms1", "ms2"), f"{MASS_SPECTROMETRY}.peak_lists:read_ms1", signatures.is_ms1
)
BARE_PEAKS_TYPE = InstrumentType(
    "bare-peaks", "DTA and PKL peak lists", ("pkl",), f"{MASS_SPECTROMETRY}.bare_peaks:read", signatures.is_bare_peaks
)
PEPXML_TYPE = InstrumentType(
    "pepxml", "pepXML", ("pepxml",), f"{MASS_SPECTROMETRY}.pepxml:read", signatures.is_pepxml, LARGE
)
MZIDENTML_TYPE = InstrumentType(
    "mzidentml",
    "mzIdentML",
    ("mzid",),
    f"{MASS_SPECTROMETRY}.identifications:read_mzidentml",
    signatures.is_mzidentml,
    LARGE,
)
TANDEM_TYPE = InstrumentType(
    "x-tandem", "X!Tandem", (), f"{MASS_SPECTROMETRY}.identifications:read_tandem", signatures.is_tandem, LARGE
)
SPC_TYPE = InstrumentType("spc", "SPC spectrum", (), "processing.processors.spectra.spc:read", signatures.is_spc)
OPUS_TYPE = InstrumentType(
    "bruker-opus", "Bruker OPUS", (), "processing.processors.spectra.opus:read", signatures.is_opus
)
NMR_ARCHIVE_TYPE = InstrumentType(
    "nmr-archive", "NMR experiments (ZIP)", (), "processing.processors.nmr.archives:read", signatures.is_nmr_archive
)
NMRPIPE_TYPE = InstrumentType(
    "nmrpipe", "NMRPipe", (), "processing.processors.nmr.nmrpipe:read", signatures.is_nmrpipe, LARGE
)
SPARKY_TYPE = InstrumentType(
    "sparky", "Sparky NMR", ("ucsf",), "processing.processors.nmr.sparky:read", signatures.is_sparky, LARGE
)
THERMAL_TYPE = InstrumentType(
    "thermal-text", "Thermal analysis text", (), "processing.processors.thermal.reader:read", signatures.is_thermal_text
)
ANIML_TYPE = InstrumentType("animl", "AnIML", ("animl",), "processing.processors.animl:read", signatures.is_animl)
WDF_TYPE = InstrumentType(
    "wdf", "Renishaw WDF", ("wdf",), "processing.processors.spectra.wdf:read", signatures.is_wdf, LARGE
)
BRUKER_PARAMETERS_TYPE = InstrumentType(
    "bruker-parameters",
    "Bruker NMR experiment",
    (),
    "processing.processors.nmr.parameters:read",
    signatures.is_bruker_parameters,
    Limits(input_bytes=256 * MIB),
    folder=FolderRule(
        "acqus", ("fid", "ser", "acqu2s", *(f"pdata/*/{name}" for name in ("1r", "procs", "2rr", "proc2s")))
    ),
)  # before JCAMP-DX, whose first bytes it shares
VARIAN_PARAMETERS_TYPE = InstrumentType(
    "varian-parameters",
    "Varian NMR experiment",
    (),
    "processing.processors.nmr.parameters:read_procpar",
    signatures.is_procpar,
    Limits(input_bytes=256 * MIB),
    folder=FolderRule("procpar", ("fid",)),
)
ANALYTICAL_TYPES = (
    ASM_TYPE,
    ANDI_TYPE,
    MZXML_TYPE,
    MGF_TYPE,
    MS1_TYPE,
    BARE_PEAKS_TYPE,
    PEPXML_TYPE,
    MZIDENTML_TYPE,
    TANDEM_TYPE,
    SPC_TYPE,
    OPUS_TYPE,
    NMR_ARCHIVE_TYPE,
    VARIAN_PARAMETERS_TYPE,
    NMRPIPE_TYPE,
    SPARKY_TYPE,
    THERMAL_TYPE,
    ANIML_TYPE,
    WDF_TYPE,
)
