"""Exports in forms that vendors' parsers read, though allotropy's own sniffers ask for others."""

import io
import re
import zipfile
from collections.abc import Callable

import pytest

from tests.processing.reading import read
from tests.samples.expected import FOLDER, needs_real_exports

DATA = FOLDER.parent
HEAD = b"<style>" + b"td.left { padding: 0; }\n" * 300 + b"</style>"


def without_endings(data: bytes) -> bytes:
    """The archives within, not called .zip."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as copy:
        for name in archive.namelist():
            copy.writestr(name.removesuffix(".zip"), archive.read(name))
    return written.getvalue()


def replaced(pattern: bytes, by: bytes, count: int = 0) -> Callable[[bytes], bytes]:
    return lambda data: re.sub(pattern, by, data, count=count, flags=re.MULTILINE)


VARIANTS = [
    ("unicorn_1.zip", "cytiva-unicorn", without_endings),
    ("hiac_example_7.xls", "beckman-pharmspec", replaced(rb"<head>", b"<head>" + HEAD, 1)),
    (
        "thermo_nanodrop_eight_example02.txt",
        "thermo-fisher-nanodrop-eight",
        replaced(rb"^([^\t\r\n]+:)\t+", rb"\1 "),
    ),
    (
        "thermo_fisher_qubit_flex_example_sep_header.csv",
        "thermo-fisher-qubit-flex",
        replaced(rb"\Asep=,\r?\n", b"Qubit Flex,Export,1\nUser,ann,\n\n"),
    ),
    ("example_02.log", "beckman-coulter-biomek", replaced(rb"^Method = [^\n]*\n", b"")),
    ("example_02.log", "beckman-coulter-biomek", replaced(rb"^(Method = |Time Stamp)[^\n]*\n", b"")),
    ("16-03-03 13-25-45 472 QC 384 FI.csv", "bmg-mars", replaced(rb"^(Raw Data[^\r\n]*),", rb",\1")),
    ("chemometec_nucleoview_example01.csv", "chemometec-nucleoview", replaced(rb";", b",")),
    ("Thermo_NanoDrop_8000_example03.txt", "thermo-fisher-nanodrop-8000", replaced(rb"^(Plate ID)?\t", b"")),
    (
        "thermo_fisher_genesys30_example_01.tsv",
        "thermo-fisher-genesys30",
        replaced(rb"^(Mode[^\n]*\n)([^\n]*\n)", rb"\2\1"),
    ),
]


@needs_real_exports
@pytest.mark.parametrize(("name", "vendor", "change"), VARIANTS)
def test_a_form_that_a_parser_reads_is_recognised(tmp_path, name, vendor, change):
    (path,) = DATA.rglob(name)
    data = path.read_bytes()
    changed = tmp_path / name
    changed.write_bytes(change(data))

    found = read(changed)

    assert changed.read_bytes() != data
    assert found.file.get("recognised_as") == vendor


COPIES = [
    ("SampleResults2022-06-28_142558.csv", "SampleResults2022-06-28_142558 (1).csv"),
    ("SampleResults2022-06-28_142558.csv", "SampleResults2022-06-28_142558 - Copy.csv"),
]


@needs_real_exports
@pytest.mark.parametrize(("name", "copied"), COPIES)
def test_a_name_that_a_browser_or_a_desktop_numbered_is_still_that_of_the_export(tmp_path, name, copied):
    (path,) = DATA.rglob(name)
    copy = tmp_path / copied
    copy.write_bytes(path.read_bytes())

    whole, found = read(path), read(copy)

    assert found.file.get("recognised_as") == whole.file.get("recognised_as") == "novabio-flex2"
    assert found.run == whole.run


CFX = "\tWell\tFluor\tTarget\tContent\tSample\tCq\tStarting Quantity (SQ)\n" + "".join(
    f"\t{row}01\tSYBR\tGAPDH\tUnkn-0{number}\tS{number}\t2{number}.25\tNaN\n" for number, row in enumerate("ABCD", 1)
)


def test_a_vendors_csv_that_was_saved_with_tabs_as_txt_is_recognised(tmp_path):
    path = tmp_path / "results.txt"
    path.write_text(CFX)

    found = read(path)

    assert found.file.get("recognised_as") == "cfxmaestro"
    assert found.run["sample_count"] == 4
