"""Runs out of the service as RO-Crates, and back into it."""

import json
import zipfile

import pytest
from click.testing import CliRunner

from client.tests.test_uploads import stored
from instrument_data.cli.main import group
from instrument_data.errors import ChecksumMismatch, NotACrate, NotFound


@pytest.fixture
def crate(lab, bench, results, tmp_path):
    """A run with everything that moves, as a crate."""
    facts = {"plate_id": "P7", "big": 2**60, "nested": {"a": [1, 2.5]}}
    report = lab.upload(
        results, instrument=bench.instrument, run="R1", metadata=facts, acquired_at="2026-11-02T10:00:00Z"
    )
    report.run.tag("qc")
    return report.run.save_crate(tmp_path)


def test_a_run_moves_byte_for_byte(lab, bench, results, crate):
    report = lab.import_crate(crate, run="R2")

    old, new = lab.run(bench.instrument, "R1").refresh(), lab.run(bench.instrument, "R2").refresh()
    assert sorted(report.uploaded) == ["plate 1/empty.txt", "plate 1/scan.bin", "raw.csv"]
    assert new.own_metadata == old.own_metadata
    assert (new.acquired_at, new.tags) == (old.acquired_at, ["qc"])
    before, after = stored(lab, bench, "R1"), stored(lab, bench, "R2")
    assert {name: file.sha256 for name, file in after.items()} == {name: file.sha256 for name, file in before.items()}
    assert after["plate 1/scan.bin"].read_bytes() == (results / "plate 1" / "scan.bin").read_bytes()


def test_what_is_there_already_is_told_and_not_sent(lab, crate):
    report = lab.import_crate(crate)

    assert (report.uploaded, len(report.known)) == ([], 3)


def test_an_unpacked_crate_is_imported_too(lab, crate, tmp_path):
    with zipfile.ZipFile(crate) as archive:
        archive.extractall(tmp_path / "unpacked")

    assert len(lab.import_crate(tmp_path / "unpacked", run="R3").uploaded) == 3


def rewrite(crate, place, change):
    """The crate with each entry as `change(name, bytes)` gives it; None leaves it out."""
    with zipfile.ZipFile(crate) as old, zipfile.ZipFile(place, "w") as new:
        for name in old.namelist():
            data = change(name, old.read(name))
            if data is not None:
                new.writestr(name, data)
    return place


def test_changed_bytes_are_refused_before_anything_is_sent(lab, bench, crate, tmp_path):
    bad = rewrite(crate, tmp_path / "bad.zip", lambda name, data: b"X" + data[1:] if name == "raw.csv" else data)

    with pytest.raises(ChecksumMismatch, match=r"raw\.csv"):
        lab.import_crate(bad, run="R4")
    with pytest.raises(NotFound):
        lab.run(bench.instrument, "R4")


@pytest.mark.parametrize("missing", ["raw.csv", "manifest.json"])
def test_a_crate_that_is_not_whole_is_refused(lab, crate, tmp_path, missing):
    bad = rewrite(crate, tmp_path / "bad.zip", lambda name, data: None if name == missing else data)

    with pytest.raises(NotACrate, match=missing.replace(".", r"\.")):
        lab.import_crate(bad, run="R5")


def test_a_manifest_never_leads_out_of_the_crate(lab, crate, tmp_path):
    (tmp_path / "secret").write_text("mine")
    with zipfile.ZipFile(crate) as archive:
        archive.extractall(tmp_path / "unpacked")
    manifest = tmp_path / "unpacked" / "manifest.json"
    document = json.loads(manifest.read_text())
    document["files"][0]["path"] = "../secret"
    manifest.write_text(json.dumps(document))

    with pytest.raises(NotACrate, match="secret"):
        lab.import_crate(tmp_path / "unpacked", run="R6")


def edited(crate, place, change):
    """The crate with what `change` makes of its manifest."""

    def rewritten(name, data):
        return json.dumps(change(json.loads(data))).encode() if name == "manifest.json" else data

    return rewrite(crate, place, rewritten)


def test_a_file_larger_than_its_crate_says_is_not_unpacked(lab, crate, tmp_path, monkeypatch):
    """As of a small ZIP that would fill the disk."""
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb, zipfile.ZipFile(crate) as old:
        for name in old.namelist():
            bomb.writestr(name, b"\0" * 10_000_000 if name == "raw.csv" else old.read(name))
    monkeypatch.setattr("instrument_data.crates.shutil.copyfileobj", refuse_large)

    with pytest.raises(ChecksumMismatch, match=r"raw\.csv has 10000000 bytes"):
        lab.import_crate(tmp_path / "bomb.zip", run="R8")


def refuse_large(source, target, piece):
    data = source.read()
    assert len(data) < 10_000_000, "it was unpacked"
    target.write(data)


@pytest.mark.parametrize(
    ("member", "value"),
    [("path", 5), ("relative_path", None), ("size_bytes", "5"), ("sha256", 5), ("path", "plate 1/empty.txt")],
)
def test_a_manifest_with_other_types_or_a_file_twice_is_refused(lab, crate, tmp_path, member, value):
    def change(document):
        next(row for row in document["files"] if row["path"] == "raw.csv")[member] = value
        return document

    with pytest.raises(NotACrate):
        lab.import_crate(edited(crate, tmp_path / "bad.zip", change), run="R9")


@pytest.mark.parametrize("change", [{"run_id": 5}, {"instrument_id": None}, {"run": []}, {"files": 5}])
def test_a_manifest_of_another_form_is_refused(lab, crate, tmp_path, change):
    bad = edited(crate, tmp_path / "bad.zip", lambda document: document | change)

    with pytest.raises(NotACrate):
        lab.import_crate(bad)


def test_a_manifest_without_an_end_is_refused(lab, tmp_path):
    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as archive:
        archive.writestr("manifest.json", b"[" * 100_000)

    with pytest.raises(NotACrate):
        lab.import_crate(tmp_path / "deep.zip")


def test_entries_that_are_packed_otherwise_are_refused(lab, crate, tmp_path):
    with zipfile.ZipFile(tmp_path / "other.zip", "w", zipfile.ZIP_BZIP2) as other, zipfile.ZipFile(crate) as old:
        for name in old.namelist():
            other.writestr(name, old.read(name))

    with pytest.raises(NotACrate, match="packed otherwise"):
        lab.import_crate(tmp_path / "other.zip", run="R10")


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"format": "ids-archive/1"}'])
def test_other_zips_are_refused(lab, tmp_path, text):
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("manifest.json", text)

    with pytest.raises(NotACrate):
        lab.import_crate(tmp_path / "other.zip")


def test_what_is_no_zip_is_refused(lab, tmp_path):
    (tmp_path / "no.zip").write_text("hello")

    with pytest.raises(NotACrate):
        lab.import_crate(tmp_path / "no.zip")


def test_the_commands_export_and_import(lab, bench, crate, tmp_path, monkeypatch):
    monkeypatch.setenv("IDS_URL", bench.url)
    monkeypatch.setenv("IDS_TOKEN", bench.token)
    run = CliRunner()

    out = run.invoke(
        group, ["export", f"{bench.instrument}/R1", "-o", str(tmp_path / "r1.zip")], catch_exceptions=False
    )
    back = run.invoke(group, ["import", str(tmp_path / "r1.zip"), "--run", "R7", "--json"], catch_exceptions=False)

    assert out.output.strip().endswith("r1.zip")
    assert len(json.loads(back.output)["uploaded"]) == 3
