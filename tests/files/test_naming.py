import pytest

from files.media_types import choose_report_kind, find_inline_type
from files.naming import name_fault, natural_key, path_fault
from files.object_keys import safe_name


@pytest.mark.parametrize("name", ["a", "Größe µm.raw", "a b.csv", ".hidden", "ä" * 127, "עברית.raw"])
def test_a_name_is_kept(name):
    assert name_fault(name) is None


@pytest.mark.parametrize("name", ["a/b", "a\\b", ".", "..", "a" * 256, "ä" * 128, " ", "\u202efdp.exe"])
def test_a_name_is_refused(name):
    assert name_fault(name) is not None


@pytest.mark.parametrize("path", ["a.csv", "day 1/plate 2/a.csv", "a..b/a.csv", "c/d:e/a.csv"])
def test_a_path_is_kept(path):
    assert path_fault(path, filename="a.csv") is None


@pytest.mark.parametrize(
    "path",
    [
        *("/a.csv", "../a.csv", "x/../a.csv", "./a.csv", "x//a.csv", "C:/a.csv", "c:a.csv", "x\\a.csv"),
        *("b.csv", "x/a.csv/", "\u2066x/a.csv"),
    ],
)
def test_a_path_is_refused(path):
    assert path_fault(path, filename="a.csv") is not None


def test_a_path_has_at_most_1024_bytes():
    assert path_fault("d/" * 510 + "a.c", filename="a.c") is None
    assert path_fault("d/" * 511 + "a.c", filename="a.c") is not None


def test_names_sort_as_people_sort_them():
    names = ["file10.csv", "File2.csv", "file1.csv", "file02b.csv", "file.csv", "file2.csv", "file010.csv"]

    assert sorted(names, key=natural_key) == [
        "file.csv",
        "file1.csv",
        "File2.csv",
        "file2.csv",
        "file02b.csv",
        "file10.csv",
        "file010.csv",
    ]


@pytest.mark.parametrize(
    ("name", "content_type", "kind"),
    [
        ("a.PNG", None, "image"),
        ("a.jpeg", "application/octet-stream", "image"),
        ("a", "image/webp", "image"),
        ("a.tif", "image/tiff", ""),
        ("a.svg", "image/svg+xml", ""),
        ("a.pdf", None, "pdf"),
        ("a", "application/pdf; version=1.7", "pdf"),
        ("a.jdx", None, "spectrum"),
        ("a.DX", None, "spectrum"),
        ("a.csv", "text/csv", "spectrum"),
        ("csv", None, ""),
        ("a.raw", None, ""),
    ],
)
def test_type_and_extension_say_what_a_report_shows(name, content_type, kind):
    assert choose_report_kind(name, content_type=content_type) == kind


def test_a_raw_spectrum_is_one_until_it_was_processed():
    assert choose_report_kind("a.csv", is_processed=True) == ""


def test_a_processed_file_is_a_spectrum_when_it_holds_a_curve():
    assert choose_report_kind("curves.json", category="processed", artefact_kind="curve") == "spectrum"
    assert choose_report_kind("table.csv", category="processed", artefact_kind="table") == ""


@pytest.mark.parametrize(
    ("name", "content_type", "shown"),
    [
        ("a.png", "image/png", "image/png"),
        ("a.png", "application/octet-stream", "image/png"),
        ("a.pdf", None, "application/pdf"),
        ("a.svg", "image/svg+xml", None),
        ("a.html", "text/html", None),
        ("a.png", "text/html", None),
        ("a.svg", None, None),
    ],
)
def test_only_raster_images_and_pdf_are_shown_inline(name, content_type, shown):
    assert find_inline_type(name, content_type) == shown


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("B01 KC-A-W---91-US.fcs", "B01_KC-A-W---91-US.fcs"),
        ("Größe.raw", "Groe.raw"),
        ("日本", "file"),
        ("..a", "a"),
        ("x" * 300 + ".csv", "x" * 96 + ".csv"),
    ],
)
def test_a_key_holds_a_name_that_needs_no_escaping(name, safe):
    assert safe_name(name) == safe
