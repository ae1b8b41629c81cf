"""Reading files adds nothing to the processes that only show them."""

import subprocess
import sys
from pathlib import Path

from processing.confined.fork_server_client import READER_MODULES

ROOT = Path(__file__).parents[2]
HEAVY = (
    "allotropy",
    "Bio",
    "PIL",
    "czifile",
    "dask",
    "h5py",
    "liffile",
    "lxml",
    "matplotlib",
    "nd2",
    "numpy",
    "openpyxl",
    "openreadout",
    "pandas",
    "pyarrow",
    "pydicom",
    "pypdfium2",
    "python_calamine",
    "tifffile",
)
PROGRAM = f"""
import django, sys
django.setup()
import config.urls, config.celery
from django.urls import get_resolver
get_resolver().url_patterns
config.celery.app.loader.import_default_modules()
print(*sorted(name for name in {HEAVY!r} if name in sys.modules))
print(*sorted(name for name in sys.modules if name.startswith("processing.processors")))
"""


def test_web_and_worker_import_no_reader():
    environment = {"SECRET_KEY": "x" * 40, "DJANGO_SETTINGS_MODULE": "config.settings", "PATH": "/usr/bin:/bin"}

    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )

    assert ran.stdout.split() == []


def test_the_reading_process_imports_the_readers_once():
    assert READER_MODULES == (
        "processing.processors.andi",
        "processing.processors.animl",
        "processing.processors.arrow_ipc",
        "processing.processors.asm.document_reader",
        "processing.processors.asm.reader",
        "processing.processors.columns.reader",
        "processing.processors.dicom.reader",
        "processing.processors.diffraction.bruker_raw",
        "processing.processors.diffraction.texts",
        "processing.processors.diffraction.xrdml",
        "processing.processors.fcs",
        "processing.processors.generic",
        "processing.processors.hdf5.reader",
        "processing.processors.image.reader",
        "processing.processors.jcamp.reader",
        "processing.processors.mass_spectrometry.bare_peaks",
        "processing.processors.mass_spectrometry.identifications",
        "processing.processors.mass_spectrometry.mzxml",
        "processing.processors.mass_spectrometry.peak_lists",
        "processing.processors.mass_spectrometry.pepxml",
        "processing.processors.matlab",
        "processing.processors.microarray",
        "processing.processors.microscopy.czi",
        "processing.processors.microscopy.lif",
        "processing.processors.microscopy.nd2",
        "processing.processors.molfile",
        "processing.processors.mzml.reader",
        "processing.processors.nmr.archives",
        "processing.processors.nmr.nmrpipe",
        "processing.processors.nmr.parameters",
        "processing.processors.nmr.sparky",
        "processing.processors.numpy_arrays",
        "processing.processors.omnilog",
        "processing.processors.parquet",
        "processing.processors.pdf",
        "processing.processors.sequencing.abif",
        "processing.processors.sequencing.alignments",
        "processing.processors.sequencing.assemblies",
        "processing.processors.sequencing.fastq",
        "processing.processors.sequencing.records",
        "processing.processors.sequencing.scf",
        "processing.processors.sequencing.seqxml",
        "processing.processors.spectra.opus",
        "processing.processors.spectra.spc",
        "processing.processors.spectra.wdf",
        "processing.processors.thermal.reader",
        "processing.processors.vamas",
    )
