"""Bombs, halves, strangers under false names: a clear failure each, and the next file is read as if nothing was."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from processing.archive_inspection import SuspiciousArchive, check_archive
from processing.failures import NotRecognised, ReadingFailed, clean_sentence
from tests.processing.reading import read
from tests.samples.instruments import fcs, mzml, mzml_spectrum, pdf, picture, png_bomb, tiff, vi_cell, workbook, zip_of

LAUGHS = (
    """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><lolz>&b;</lolz>"""
)
SHEET = "xl/worksheets/sheet1.xml"
IMAGE = picture(np.random.default_rng(1).integers(0, 255, (200, 200), dtype=np.uint8))
WHOLE = {
    "scan.png": IMAGE,
    "scan.jpg": picture(np.random.default_rng(1).integers(0, 255, (200, 200), dtype=np.uint8), "JPEG"),
    "stack.tif": tiff(*np.random.default_rng(1).integers(0, 65535, (3, 64, 64), dtype=np.uint16)),
    "run.mzML": mzml(mzml_spectrum("scan=1", level=1, minutes=1, mz=[1], heights=[1])).encode(),
    "report.pdf": pdf("Peak table"),
    "tube.fcs": fcs({"$TOT": "1", "$PAR": "0"}),
    "book.xlsx": workbook({"a": [["x", "y"], [1, 2]]}),
    "plates.xml": b"<plates><plate/></plates>" * 1,
    "trace.json": json.dumps({"points": list(range(100))}).encode(),
    "export.zip": zip_of({"a.csv": b"1,2"}),
}
DAMAGED_HALVES = [
    "scan.png",
    "scan.jpg",
    "stack.tif",
    "run.mzML",
    "tube.fcs",
    "book.xlsx",
    "plates.xml",
    "trace.json",
    "export.zip",
]


def refusal(path: Path, data: bytes, *, instrument_type: str = "generic") -> str:
    path.write_bytes(data)
    with pytest.raises(ReadingFailed) as refused:
        read(path, instrument_type=instrument_type)
    assert not isinstance(refused.value, NotRecognised)
    return refused.value.sentence


def nested(levels: int) -> bytes:
    data = b"1,2,3"
    for level in range(levels + 1):
        data = zip_of({f"{level}.zip" if level else "a.csv": data})
    return data


def test_an_image_bomb(tmp_path):
    assert refusal(tmp_path / "a.png", png_bomb()) == (
        "Image could not read this file: It has 400 million pixels; 100 million are the most."
    )


def test_a_zip_bomb(tmp_path):
    sentence = refusal(
        tmp_path / "a.zip", zip_of({"zeros": bytes(300 * 1024 * 1024)}), instrument_type="cytiva-unicorn"
    )

    assert sentence == "Cytiva Unicorn could not read this file: It would unpack to more than 200 times its size."


def test_a_workbook_bomb(tmp_path):
    bomb = zip_of({"[Content_Types].xml": b"<Types/>", SHEET: b"<sheet>" + b" " * 100_000_000 + b"</sheet>"})

    assert "It would unpack to more than 200 times its size." in refusal(tmp_path / "a.xlsx", bomb)


def test_an_archive_of_too_many_files(tmp_path):
    sentence = refusal(tmp_path / "a.zip", zip_of({f"{number}.txt": b"" for number in range(2001)}))

    assert "An archive may hold 2,000 files; this one holds more." in sentence


def test_archives_within_archives(tmp_path):
    assert "holds archives within archives" in refusal(tmp_path / "a.zip", nested(2), instrument_type="cytiva-unicorn")


def test_an_inner_bomb_is_found_by_its_own_directory(tmp_path):
    (tmp_path / "a.zip").write_bytes(zip_of({"inner.zip": zip_of({"zeros": bytes(10_000_000)})}))

    with pytest.raises(SuspiciousArchive, match="more than 200 times"):
        check_archive(tmp_path / "a.zip", levels=1)


@pytest.mark.parametrize("instrument_type", ["generic", "agilent-tapestation-analysis"])
def test_an_xml_that_expands_without_end(instrument_type, tmp_path):
    sentence = refusal(tmp_path / "a.xml", LAUGHS.encode(), instrument_type=instrument_type)

    assert "The XML declares a document type, which is refused" in sentence


def test_an_xml_that_expands_within_a_workbook(tmp_path):
    assert "declares a document type" in refusal(tmp_path / "a.xlsx", zip_of({SHEET: LAUGHS.encode()}))


def test_a_page_that_draws_without_end(tmp_path):
    endless = pdf("x").replace(b"BT /F1 18 Tf 72 720 Td (x) Tj ET", b"q " * 15 + b"Q")

    assert read_or_refuse(tmp_path / "a.pdf", endless)


@pytest.mark.parametrize("name", DAMAGED_HALVES)
def test_half_a_file(name, tmp_path):
    sentence = refusal(tmp_path / name, WHOLE[name][: len(WHOLE[name]) // 2])

    assert "could not read this file" in sentence
    assert "/" not in sentence.replace("and/or", "")


@pytest.mark.parametrize("name", [*WHOLE, "table.csv"])
def test_random_bytes_under_any_name(name, tmp_path):
    assert "could not read this file" in refusal(tmp_path / name, random.Random(7).randbytes(4000))


@pytest.mark.parametrize("name", [*WHOLE, "table.csv"])
def test_an_empty_file_under_any_name(name, tmp_path):
    assert refusal(tmp_path / name, b"").endswith("The file is empty.")


@pytest.mark.parametrize(
    ("instrument_type", "name"),
    [
        ("agilent-gen5", "a.txt"),
        ("cytiva-unicorn", "a.zip"),
        ("flowjo", "a.wsp"),
        ("cfxmaestro", "a.csv"),
        ("tecan-magellan", "a.xlsx"),
    ],
)
def test_another_vendors_file(instrument_type, name, tmp_path):
    assert "could not read this file" in refusal(tmp_path / name, vi_cell().encode(), instrument_type=instrument_type)


def test_what_a_name_says_wrongly_its_first_bytes_say_rightly(tmp_path):
    path = tmp_path / "scan.csv"
    path.write_bytes(IMAGE)

    assert read(path).run["format"] == "PNG"


def test_after_all_this_the_next_file_is_read(tmp_path):
    path = tmp_path / "scan.png"
    path.write_bytes(IMAGE)

    assert read(path).run["width"] == 200


def read_or_refuse(path: Path, data: bytes) -> bool:
    path.write_bytes(data)
    try:
        return bool(read(path).artefacts)
    except ReadingFailed as error:
        return bool(error.sentence)


def test_a_failure_quotes_no_bytes_of_the_file():
    said = clean_sentence(f"Unable to detect text encoding for file with content: {bytes(range(200, 255))!r} and more")

    assert said == "Unable to detect text encoding for file with content."
