"""Fetching files of the running service."""

import shutil

import pytest

import instrument_data as ids
from client.tests.desk import Answer, listed
from instrument_data._sync.runs import Run
from instrument_data.errors import AmbiguousName, ChecksumMismatch, Forbidden, UnknownName


@pytest.fixture
def run(lab, bench, results):
    return lab.upload(results, instrument=bench.instrument, run="R1").run


def requests_of(lab):
    asked = []
    for client in (lab.connection._service, lab.connection.store):
        client.event_hooks["request"].append(lambda request: asked.append(request.url.path))
    return asked


def test_a_file_is_fetched_once_and_keeps_its_name(lab, run, results):
    first = run.files["raw.csv"].path()
    file = run.files["raw.csv"]
    asked = requests_of(lab)

    assert file.path() == first
    assert asked == []
    assert first.name == "raw.csv"
    assert first.read_bytes() == (results / "raw.csv").read_bytes()


def test_bytes_and_text(run):
    assert run.files["raw.csv"].read_text() == "well,value\nB3,0.5\n"
    assert run.files["plate 1/empty.txt"].read_bytes() == b""


def test_a_file_is_found_by_its_path_or_its_name(run):
    assert run.files["plate 1/scan.bin"].size_bytes == run.files["scan.bin"].size_bytes == 256 * 300


def test_one_name_in_two_folders_is_ambiguous(lab, bench, results):
    (results / "plate 2").mkdir()
    shutil.copy(results / "plate 1" / "scan.bin", results / "plate 2" / "scan.bin")
    shutil.copy(results / "raw.csv", results / "plate 2" / "raw.csv")
    run = lab.upload(results, instrument=bench.instrument, run="R1").run

    assert run.files["raw.csv"].relative_path == "raw.csv"  # a path is exact
    with pytest.raises(AmbiguousName, match=r"plate 1/scan\.bin"):
        run.files["scan.bin"]


def test_an_unknown_file_names_those_that_are_there(run):
    with pytest.raises(UnknownName, match=r"raw\.csv"):
        run.files["nothing.csv"]


def test_bytes_that_are_not_those_that_were_recorded_are_not_kept(lab, bench, run):
    file = run.files["raw.csv"]
    [stored] = [
        path
        for path in bench.data.rglob("data")
        if path.is_file() and path.read_bytes() == b"well,value\nB3,0.5\n" and run.id in str(path)
    ]
    stored.chmod(0o644)
    stored.write_bytes(b"well,value\nB3,0.6\n")

    with pytest.raises(ChecksumMismatch, match=r"raw\.csv"):
        file.path()
    assert not list(lab.cache.root.rglob("raw.csv"))


def test_a_run_is_saved_with_its_folders(run, results, tmp_path):
    places = run.files.save(tmp_path / "copy", progress=False)

    assert len(places) == 3
    assert (tmp_path / "copy" / "plate 1" / "scan.bin").read_bytes() == (results / "plate 1" / "scan.bin").read_bytes()


def test_saving_again_fetches_nothing(lab, run, tmp_path):
    run.files.save(tmp_path / "copy", progress=False)
    lab.cache.prune()
    asked = requests_of(lab)

    run.files.save(tmp_path / "copy", progress=False)

    assert not [path for path in asked if "/download" in path or "/objects" in path]


def test_a_file_is_saved_under_another_name(run, tmp_path):
    place = run.files["raw.csv"].save(tmp_path / "mine.csv")

    assert place.read_text() == "well,value\nB3,0.5\n"
    assert place.stat().st_mode & 0o200


def test_a_signed_address_serves_other_programs(lab, run):
    url = run.files["raw.csv"].download_url()

    assert lab.connection.store.get(url).content == b"well,value\nB3,0.5\n"


def test_what_reading_made_lies_apart(desk, tmp_path):
    """Its paths begin with the name of the file that it was made of."""
    told = ids.connect(desk.url, "ids_x")
    about = {"uploaded_at": "2026-11-23T08:00:00.000Z", "size_bytes": 2, "sha256": None, "crc32": None}
    raw = {"id": 1, "filename": "raw.csv", "relative_path": "raw.csv", "category": "raw", **about}
    made = {"id": 2, "filename": "c.json", "relative_path": "raw.csv/c.json", "category": "processed", **about}
    desk.tell("GET", "/instruments/i/runs/R/files", listed([raw, made]))
    for number in (1, 2):
        desk.tell("GET", f"/files/{number}/download", Answer({"download_url": f"{desk.url}/store/{number}"}))
        desk.tell("GET", f"/store/{number}", Answer({}))

    places = Run(told, {"instrument_id": "i", "run_id": "R"}).all_files.save(tmp_path / "copy", progress=False)

    assert places == [tmp_path / "copy" / "processed" / "raw.csv" / "c.json", tmp_path / "copy" / "raw.csv"]


def test_a_token_without_the_scope_reads_nothing(service, bench, run):
    token = service.manage("create_token", f"list {bench.instrument}", "--scopes", "runs:read,instruments:read").strip()
    with ids.connect(bench.url, token) as lab, pytest.raises(Forbidden, match="files:read"):
        lab.run(bench.instrument, "R1").files["raw.csv"]
