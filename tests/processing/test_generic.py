"""Instruments whose type nobody set: a vendor only when it is certain; two are never chosen between."""

import json

import pytest

from processing.failures import NotRecognised, ReadingFailed
from tests.processing.reading import read
from tests.samples.instruments import csv, vi_cell, zip_of


def test_a_vendor_that_alone_claims_a_file_and_reads_it_is_believed(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(vi_cell())

    found = read(path)

    assert found.file["recognised_as"] == "beckman-vi-cell-blu"
    assert found.run["sample_id"] == ["CLB001", "CLB002"]


def test_two_vendors_that_claim_a_file_are_named_and_neither_is_believed(tmp_path):
    path = tmp_path / "export.txt"
    path.write_text("Software Version\t3.15\n\n" + "Well\tValue\n" + "".join(f"A{n}\t{n}\n" for n in range(1, 8)))

    found = read(path)

    assert found.file["vendor_candidates"] == ["agilent-gen5", "agilent-gen5-image"]
    assert "table.json" in found.artefacts
    assert "recognised_as" not in found.file


def test_a_table_that_is_less_than_a_vendors_reading_says_so(tmp_path):
    path = tmp_path / "export.txt"
    path.write_text("Software Version\t3.15\n\n" + "Well\tValue\n" + "".join(f"A{n}\t{n}\n" for n in range(1, 8)))

    found = read(path)

    assert found.file["degraded"] is True
    assert found.warnings[0].startswith("It looks like Agilent Gen5, but: ")
    assert found.warnings[0].endswith("It is shown as a plain table.")


def test_what_nobody_knows_is_told_who_might(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text("{}")

    with pytest.raises(NotRecognised, match=r"Of its kind \(\.json\) these are known: .*Chromeleon"):
        read(path)


def test_a_vendor_that_claims_a_file_and_cannot_read_it_is_not_believed(tmp_path):
    path = tmp_path / "export.csv"
    header, *_ = vi_cell().splitlines()
    path.write_text("\n".join([header.replace("Cell count", "Count"), *["a,b"] * 6]) + "\n")

    found = read(path)

    assert found.file.get("vendor_candidates", []) in ([], ["beckman-vi-cell-blu"])
    assert "recognised_as" not in found.file


def test_a_table_of_no_vendor_is_a_table(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_bytes(csv([["Animal", "Weight (g)"], *[[f"mouse {n}", 20 + n] for n in range(6)]]))

    assert list(read(path).artefacts) == ["table.json"]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("README.txt", b"The lamp was changed on Monday.\nAnn\n"),
        ("settings.json", b'{"gain": 55}'),
        ("method.xml", b"<method/>"),
        ("photos.zip", zip_of({"a.bin": b"1"})),
    ],
)
def test_a_sound_file_that_nobody_knows_is_no_failure(name, data, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)

    with pytest.raises(NotRecognised, match="No reader knows this file"):
        read(path)


@pytest.mark.parametrize(
    ("name", "data"), [("a.json", b'{"gain":'), ("a.xml", b"<method>"), ("a.zip", b"PK"), ("a.blr", b"x")]
)
def test_a_file_that_is_not_what_its_name_says_fails(name, data, tmp_path):
    path = tmp_path / name
    path.write_bytes(data)

    with pytest.raises(ReadingFailed, match="Generic could not read this file") as refusal:
        read(path)
    assert not isinstance(refusal.value, NotRecognised)


def test_facts_of_a_document_are_json(tmp_path):
    path = tmp_path / "export.csv"
    path.write_text(vi_cell())

    assert json.loads(json.dumps(read(path).run))["technique"] == "cell counting"
