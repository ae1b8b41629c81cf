"""The vendor formats that allotropy reads, as declarations: nothing here imports it.

A test compares this table with allotropy's own list.
"""

from processing.readings import MIB, InstrumentType, Limits

READER_PATH = "processing.processors.asm.reader:read"
VENDOR_LIMITS = Limits(input_bytes=32 * MIB)  # its documents grow up to 26 times the input

VENDOR_TABLE = (
    ("agilent-gen5", "Agilent Gen5", "txt"),
    ("agilent-gen5-image", "Agilent Gen5 Image", "txt"),
    ("agilent-openlab-cds", "Agilent OpenLab CDS", "rslt zip"),
    ("agilent-tapestation-analysis", "Agilent TapeStation Analysis", "xml"),
    ("appbio-absolute-q", "AppBio AbsoluteQ", "csv zip"),
    ("appbio-quantstudio", "AppBio QuantStudio RT-PCR", "txt xlsx"),
    ("appbio-quantstudio-designandanalysis", "AppBio QuantStudio Design & Analysis", "xlsx xls"),
    ("bd-biosciences-facsdiva", "BD Biosciences FACSDiva", "xml"),
    ("beckman-coulter-biomek", "Beckman Coulter Biomek", "csv log"),
    ("beckman-echo-cherry-pick", "Beckman Echo Cherry Pick", "csv"),
    ("beckman-echo-plate-reformat", "Beckman Echo Plate Reformat", "csv"),
    ("beckman-pharmspec", "Beckman Coulter PharmSpec", "xlsx xls"),
    ("beckman-vi-cell-blu", "Beckman Coulter Vi-Cell BLU", "csv"),
    ("beckman-vi-cell-xr", "Beckman Coulter Vi-Cell XR", "txt xls xlsx"),
    ("benchling-chromeleon", "Benchling Thermo Fisher Scientific Chromeleon", "json"),
    ("benchling-empower", "Benchling Waters Empower Adapter", "json"),
    ("biorad-bioplex", "Bio-Rad Bio-Plex Manager", "xml"),
    ("bmg-labtech-smart-control", "BMG Labtech SMART Control", "xlsx"),
    ("bmg-mars", "BMG Labtech MARS", "csv"),
    ("cfxmaestro", "Bio-Rad CFX Maestro", "csv"),
    ("chemometec-nc-view", "ChemoMetec NC View", "csv"),
    ("chemometec-nucleoview", "ChemoMetec Nucleoview", "csv"),
    ("ctl-immunospot", "CTL ImmunoSpot", "txt"),
    ("cytiva-biacore-insight", "Cytiva Biacore Insight", "xlsx xlsm"),
    ("cytiva-biacore-t200-control", "Cytiva Biacore T200 Control", "blr"),
    ("cytiva-biacore-t200-evaluation", "Cytiva Biacore T200 Evaluation", "bme"),
    ("cytiva-unicorn", "Cytiva Unicorn", "zip"),
    ("flowjo", "FlowJo", "wsp"),
    ("luminex-intelliflex", "Luminex INTELLIFLEX", "csv xlsx"),
    ("luminex-xponent", "Luminex xPONENT", "csv xlsx"),
    ("mabtech-apex", "Mabtech Apex", "xlsx"),
    ("methodical-mind", "MSD Methodical Mind", "txt"),
    ("moldev-softmax-pro", "Molecular Devices SoftMax Pro", "txt"),
    ("msd-workbench", "MSD Discovery Workbench", "csv txt xlsx"),
    ("novabio-flex2", "NovaBio Flex2", "csv"),
    ("perkin-elmer-envision", "PerkinElmer Envision", "csv"),
    ("qiacuity-dpcr", "Qiacuity dPCR", "csv"),
    ("revvity-kaleido", "Revvity Kaleido", "csv"),
    ("revvity-matrix", "Revvity Matrix", "csv xlsx"),
    ("roche-cedex-bioht", "Roche Cedex BioHT", "txt"),
    ("roche-cedex-hires", "Roche Cedex HiRes", "csv xlsx"),
    ("tecan-magellan", "Tecan Magellan", "xlsx"),
    ("thermo-fisher-diomni", "Thermo Fisher Diomni", "xlsx"),
    ("thermo-fisher-genesys30", "Thermo Fisher Scientific Genesys30", "csv tsv"),
    ("thermo-fisher-genesys-on-board", "Thermo Fisher Scientific Genesys On-Board", "csv"),
    ("thermo-fisher-nanodrop-8000", "Thermo Fisher Scientific NanoDrop 8000", "txt"),
    ("thermo-fisher-nanodrop-eight", "Thermo Fisher Scientific NanoDrop Eight", "txt tsv"),
    ("thermo-fisher-nanodrop-one", "Thermo Fisher Scientific Nanodrop One", "csv xlsx"),
    ("thermo-fisher-qubit4", "Thermo Fisher Scientific Qubit 4", "csv xlsx"),
    ("thermo-fisher-qubit-flex", "Thermo Fisher Scientific Qubit Flex", "csv xlsx"),
    ("thermo-fisher-visionlite", "Thermo Fisher Scientific VISIONlite", "csv"),
    ("thermo-skanit", "Thermo Fisher Scientific SkanIt", "xlsx"),
    ("unchained-labs-lunatic", "Unchained Labs Lunatic & Stunner", "csv xlsx"),
)

NESTED_ARCHIVE_LIMITS = Limits(input_bytes=32 * MIB, archive_levels=2)  # a zipped .rslt holds .dx files, archives too


def choose_limits(name: str) -> Limits:
    return NESTED_ARCHIVE_LIMITS if name == "agilent-openlab-cds" else VENDOR_LIMITS


VENDOR_TYPES = tuple(
    InstrumentType(name, title, tuple(extensions.split()), READER_PATH, limits=choose_limits(name))
    for name, title, extensions in VENDOR_TABLE
)


def vendor_name(instrument_type: str) -> str:
    """allotropy's name for a type of ours."""
    return instrument_type.replace("-", "_").upper()
