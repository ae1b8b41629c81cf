"""PDF: pages, words, a picture of the first page; encrypted and damaged documents."""

import io

import pytest
from PIL import Image

from processing.processors.pdf import read
from processing.readings import Unreadable
from tests.processing.here import read_here
from tests.samples.instruments import pdf


def test_a_document_says_what_it_is(tmp_path):
    output = read_here(read, tmp_path / "report.pdf", pdf("Peak table", "Second page", title="Run 7"))

    assert output.run == {
        "format": "PDF 1.4",
        "pages": 2,
        "title": "Run 7",
        "author": "Nobody",
        "width_pt": 595,
        "height_pt": 842,
        "first_page_text": "Peak table",
    }
    assert output.file == {"document_created_at": "2026-03-14T08:26:53+00:00"}
    assert output.acquired_at is None


def test_the_first_page_is_drawn_1200_pixels_wide(tmp_path):
    (page,) = read_here(read, tmp_path / "report.pdf", pdf("Peak table")).artefacts

    assert (page.name, Image.open(io.BytesIO(page.data)).width) == ("page-1.png", 1200)


def test_every_page_is_drawn_up_to_a_dozen(tmp_path):
    output = read_here(read, tmp_path / "report.pdf", pdf(*(f"Page {number}" for number in range(1, 15))))

    assert [page.name for page in output.artefacts] == [f"page-{number}.png" for number in range(1, 13)]
    assert output.warnings == ["The first 12 of 14 pages are shown."]


def test_a_page_a_kilometre_long_is_drawn_small(tmp_path):
    (page,) = read_here(read, tmp_path / "report.pdf", pdf("Peak table", size=(100, 14_000))).artefacts

    width, height = Image.open(io.BytesIO(page.data)).size
    assert width * height <= 12_500_000


def test_an_encrypted_document_is_kept_with_a_warning(tmp_path):
    output = read_here(read, tmp_path / "report.pdf", pdf("Secret", encrypted=True))

    assert (output.run, output.file, list(output.artefacts)) == ({"format": "PDF"}, {"encrypted": True}, [])
    assert "encrypted" in output.warnings[0]


def test_a_damaged_document_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="damaged"):
        read_here(read, tmp_path / "report.pdf", b"%PDF-1.4\nnothing")
