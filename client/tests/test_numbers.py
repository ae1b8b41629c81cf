"""Datasets and changes of the running service itself, where it answers their routes (sections 7 and 8)."""

import time

import pytest

from instrument_data.errors import NotFound

SPECTRUM = "Wavelength (nm),Absorbance (AU)\n" + "".join(f"{400 + step},{step / 1000}\n" for step in range(200))
PATIENCE_SECONDS = 90


def is_answered(lab, path, params):
    """Whether the service at hand has the route at all."""
    try:
        lab.connection.ask("GET", path, params=params)
    except NotFound:
        return False
    return True


@pytest.fixture
def run(lab, bench, tmp_path):
    """One whose file was read."""
    if not is_answered(lab, "/datasets", []):
        pytest.skip("the service at hand has no /datasets yet")
    (tmp_path / "scan.csv").write_text(SPECTRUM)
    made = lab.upload(tmp_path / "scan.csv", instrument=bench.instrument, run="R1", metadata={"plate_id": "P7"}).run
    deadline = time.monotonic() + PATIENCE_SECONDS
    while made.refresh().status != "completed":
        assert time.monotonic() < deadline, made.refresh().raw
        time.sleep(0.5)
    return made


def test_a_scan_is_numbers_at_full_precision(lab, run):
    [about] = run.datasets.all()
    frame = run.dataset(about.name).to_pandas()

    assert len(frame) == about.row_count == 200
    assert run.dataset(about.name).where(about.columns[-1]["name"], ">=", 0.1).count() == 100
    assert sorted(frame[about.columns[-1]["name"]])[-1] == 0.199


def test_a_search_is_one_frame(lab, bench, run):
    [about] = run.datasets.all()
    stacked = lab.runs(instrument=bench.instrument, plate_id="P7").dataset(about.name)

    if not is_answered(lab, "/dataset-rows", [("name", about.name), ("instrument_id", bench.instrument)]):
        pytest.skip("the service at hand has no /dataset-rows yet")
    assert list(stacked.limit(2).to_pandas()["run_id"]) == ["R1", "R1"]


def test_the_whole_of_it_is_a_file_of_parquet(run):
    [about] = run.datasets.all()
    path = run.dataset(about.name).path()

    assert path.read_bytes()[:4] == b"PAR1"


def test_every_form_of_rows(run, tmp_path):
    polars = pytest.importorskip("polars")
    pytest.importorskip("xarray")
    [about] = run.datasets.all()
    dataset = run.dataset(about.name)

    assert sum(1 for _ in dataset) == 200
    assert polars.read_parquet(dataset.save(tmp_path / "x.parquet")).height == 200
    assert dataset.to_polars().height == 200
    assert 200 in dataset.to_xarray().sizes.values()


def test_what_happens_is_told_once(lab, bench, tmp_path):
    if not is_answered(lab, "/changes", [("after", "now")]):
        pytest.skip("the service at hand has no /changes yet")
    before = str(lab.connection.ask("GET", "/changes", params=[("after", "now")])["next"])
    (tmp_path / "scan.csv").write_text(SPECTRUM)
    lab.upload(tmp_path / "scan.csv", instrument=bench.instrument, run="R1")

    watched = lab.watch(before, instrument=bench.instrument, types="run.created")

    assert next(iter(watched)).run_id == "R1"
    told = [change.run_id for change in lab.changes(before, instrument=bench.instrument, types="run.created")]
    assert told == ["R1"]
