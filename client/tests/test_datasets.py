"""Numbers as frames of each library, from answers as the interface describes them; test_numbers.py asks the service."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timezone

import pytest

import instrument_data as ids
from client.tests import shapes
from client.tests.desk import Answer, Desk, listed, refusal
from instrument_data.errors import AmbiguousName, MissingExtra, QueryTooLarge, UnknownName
from instrument_data.plotting import label_of

ROWS = "/datasets/0199-spectrum-scan.csv/rows"


@pytest.fixture
def lab(desk: Desk):
    desk.tell("GET", "/instruments", listed([{"id": "reader", "display_name": "Synergy Neo2"}]))
    desk.tell("GET", "/instruments/reader/runs/R1", Answer(shapes.run()))
    desk.tell("GET", "/instrument-runs", listed([shapes.run()]))
    desk.tell("GET", "/instruments/reader/runs/R1/datasets", listed([shapes.dataset()]))
    desk.tell("GET", ROWS, Answer(shapes.spectrum()))
    desk.tell("GET", "/datasets", listed([shapes.dataset("plate", columns=shapes.PLATE)]))
    desk.tell("GET", "/dataset-rows", Answer(shapes.stacked()))
    with ids.connect(desk.url, "ids_x", patience=1) as laboratory:
        yield laboratory


@pytest.fixture
def spectrum(lab):
    return lab.run("Synergy Neo2", "R1").dataset("spectrum")


def test_pandas_keeps_units(spectrum):
    frame = spectrum.to_pandas()

    assert list(frame.columns) == ["trace", "wavelength", "absorbance"]
    assert frame.attrs["units"] == {"trace": None, "wavelength": "nm", "absorbance": "AU"}


def test_arrow(spectrum):
    assert spectrum.to_arrow().num_rows == 6


def test_polars(spectrum):
    polars = pytest.importorskip("polars")

    frame = spectrum.to_polars()

    assert isinstance(frame, polars.DataFrame)
    assert frame["absorbance"].sum() == pytest.approx(1.5)


def test_xarray_has_the_axis_and_the_traces_as_dimensions(spectrum):
    pytest.importorskip("xarray")

    cube = spectrum.to_xarray()

    assert dict(cube.sizes) == {"trace": 2, "wavelength": 3}
    assert cube.wavelength.attrs["units"] == "nm"
    assert float(cube.absorbance.sel(trace="B", wavelength=500.0)) == 0.4


def test_xarray_of_one_trace_has_the_axis_alone(spectrum, desk):
    pytest.importorskip("xarray")
    desk.tell("GET", ROWS, Answer(shapes.spectrum(("A",))))

    assert dict(spectrum.to_xarray().sizes) == {"wavelength": 3}


def test_xarray_of_rows_that_nothing_tells_apart_keeps_them_as_rows(spectrum, desk):
    pytest.importorskip("xarray")
    twice = shapes.arrow({"trace": ["A", "A"], "wavelength": [400.0, 400.0], "absorbance": [0.1, 0.2]})
    desk.tell("GET", ROWS, Answer(twice))

    assert dict(spectrum.to_xarray().sizes) == {"row": 2}


def test_xarray_has_times_as_numpy_knows_them(spectrum, desk):
    pytest.importorskip("xarray")
    at = [datetime(2026, 11, 26, 6, tzinfo=timezone.utc)] * 2
    desk.tell("GET", ROWS, Answer(shapes.arrow({"wavelength": [400.0, 500.0], "acquired_at": at})))

    times = spectrum.to_xarray().acquired_at

    assert times.dtype.kind == "M"
    assert str(times.values[0]).startswith("2026-11-26T06:00:00")


def test_what_has_no_axis_is_not_drawn(desk, lab):
    desk.tell("GET", "/instruments/reader/runs/R1/datasets", listed([shapes.dataset("plate", columns=shapes.PLATE)]))

    with pytest.raises(ValueError, match="nothing to draw a line of"):
        lab.run("reader", "R1").dataset("plate").plot()


def test_a_dataset_that_was_not_looked_up_tells_what_is_known(lab):
    assert "columns" not in lab.run("reader", "R1").dataset("spectrum")._repr_html_()


def test_xarray_of_no_rows_is_empty(spectrum, desk):
    pytest.importorskip("xarray")
    schema = shapes.arrow({"trace": ["A"], "wavelength": [1.0], "absorbance": [1.0]})
    import io

    import pyarrow as pa

    table = pa.ipc.open_stream(io.BytesIO(schema)).read_all().slice(0, 0)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    desk.tell("GET", ROWS, Answer(sink.getvalue()))

    assert sum(spectrum.to_xarray().sizes.values()) == 0


def test_rows_without_any_further_library(spectrum, desk):
    desk.tell("GET", ROWS, Answer(b'{"trace":"A","wavelength":400.0}\n{"trace":"A","wavelength":500.0}\n'))

    assert [row["wavelength"] for row in spectrum] == [400.0, 500.0]
    assert desk.asked(ROWS)[-1].asked("format") == ["ndjson"]


def test_conditions_go_to_the_service(spectrum, desk):
    spectrum.where("trace", "A").where("wavelength", ">=", 450).select("wavelength").order_by("-wavelength").limit(
        5
    ).to_arrow()

    asked = desk.asked(ROWS)[-1]
    assert asked.asked("where") == ["trace:eq:A", "wavelength:ge:450"]
    assert [asked.asked(name) for name in ("columns", "order_by", "limit")] == [["wavelength"], ["-wavelength"], ["5"]]


def test_groups(spectrum, desk):
    spectrum.group_by("trace").aggregate(mean="absorbance", max="absorbance").to_arrow()

    asked = desk.asked(ROWS)[-1]
    assert (asked.asked("group_by"), asked.asked("aggregate")) == (["trace"], ["mean:absorbance", "max:absorbance"])


def test_counting_asks_for_one_row(spectrum, desk):
    desk.tell("GET", ROWS, Answer({"columns": [], "data": [], "pagination": {"limit": 1, "offset": 0, "total": 6}}))

    assert spectrum.where("trace", "A").count() == 6
    assert desk.asked(ROWS)[-1].asked("limit") == ["1"]


def test_a_dataset_is_looked_up_once(spectrum, desk):
    spectrum.to_arrow()
    spectrum.where("trace", "A").to_arrow()

    assert len(desk.asked("/instruments/reader/runs/R1/datasets")) == 1


def test_the_runs_of_a_search_in_one_frame(lab, desk):
    runs = lab.runs(instrument="Synergy Neo2", plate_id="P7")

    frame = runs.dataset("plate").where("well", "B3").to_pandas()

    assert list(frame["run_id"]) == ["R1", "R2"]
    [asked] = desk.asked("/dataset-rows")
    assert asked.asked("name") == ["plate"]
    assert asked.asked("instrument_id") == ["reader"]
    assert asked.asked("metadata[plate_id]") == ["P7"]
    assert asked.asked("where") == ["well:eq:B3"]


def test_the_runs_of_a_search_answer_to_a_kind_where_no_dataset_has_the_name(lab, desk):
    known = shapes.dataset("plate_absorbance", columns=shapes.PLATE)
    desk.tell("GET", "/datasets", listed([known]))

    rows = lab.runs().dataset("plate")

    assert rows.where("well", "B3").to_arrow().num_rows
    assert desk.asked("/dataset-rows")[0].asked("name") == ["plate_absorbance"]


@pytest.mark.parametrize(
    ("there_are", "error", "sentence"),
    [
        (["spectrum", "cq"], UnknownName, "These runs have no dataset plate; they have spectrum, cq"),
        (["plate_od", "plate_gfp", "plate_od"], AmbiguousName, "of the kind plate: plate_od, plate_gfp"),
    ],
)
def test_a_name_that_no_run_of_a_search_has_names_those_there_are(lab, desk, there_are, error, sentence):
    desk.tell("GET", "/datasets", listed([shapes.dataset(name) for name in there_are]))

    with pytest.raises(error, match=sentence):
        lab.runs().dataset("plate").to_arrow()


def test_runs_become_a_dimension(lab):
    pytest.importorskip("xarray")

    cube = lab.runs().dataset("plate").to_xarray()

    assert dict(cube.sizes) == {"run_id": 2}
    assert float(cube.value.sel(run_id="R2")) == 0.7


def test_a_dataset_answers_to_its_kind_where_no_name_does(lab, desk):
    desk.tell(
        "GET", "/instruments/reader/runs/R1/datasets", listed([shapes.dataset("uv-vis", kind="spectrum", id="9")])
    )
    desk.tell("GET", "/datasets/9/rows", Answer(shapes.spectrum()))

    assert lab.run("reader", "R1").dataset("spectrum").to_arrow().num_rows == 6


def test_two_files_with_one_dataset_are_told_apart_by_the_file(lab, desk):
    both = [shapes.dataset(source="a.csv", id="1"), shapes.dataset(source="b.csv", id="2")]
    desk.tell("GET", "/instruments/reader/runs/R1/datasets", listed(both))
    desk.tell("GET", "/datasets/2/rows", Answer(shapes.spectrum()))
    run = lab.run("reader", "R1")

    with pytest.raises(AmbiguousName, match=r"spectrum of a\.csv, spectrum of b\.csv"):
        run.dataset("spectrum").to_arrow()
    assert run.dataset("spectrum", file="b.csv").to_arrow().num_rows == 6


def test_an_unknown_dataset_names_those_there_are(lab):
    with pytest.raises(UnknownName, match=r"spectrum of scan\.csv"):
        lab.run("reader", "R1").dataset("plate").to_arrow()


def test_the_ending_of_a_file_says_how_it_is_saved(spectrum, desk, tmp_path):
    desk.tell("GET", ROWS, Answer(b"trace,wavelength\nA,400\n"))

    place = spectrum.save(tmp_path / "scan.csv")

    assert place.read_bytes() == b"trace,wavelength\nA,400\n"
    assert desk.asked(ROWS)[-1].asked("format") == ["csv"]


def test_a_file_that_broke_off_is_not_there(spectrum, desk, tmp_path):
    desk.tell("GET", ROWS, Answer(b"trace,wavelength\nA,400\n", cut_after=5))

    with pytest.raises(ids.errors.ServiceAway):
        spectrum.save(tmp_path / "scan.csv")
    assert not list(tmp_path.glob("*scan*"))


def test_two_who_save_to_one_place_at_once_both_do(spectrum, tmp_path):
    place = tmp_path / "x.csv"

    with ThreadPoolExecutor(8) as pool:
        saved = list(pool.map(lambda _: spectrum.save(place), range(32)))

    assert set(saved) == {place}
    assert list(tmp_path.glob("*")) == [place]


def test_a_query_that_is_too_large_says_how_to_narrow_it(spectrum, desk):
    desk.tell("GET", ROWS, refusal("QUERY_TOO_LARGE", "Ask for fewer columns.", status=400))

    with pytest.raises(QueryTooLarge, match="fewer columns"):
        spectrum.to_arrow()


def test_a_library_that_is_missing_is_named(spectrum, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)

    with pytest.raises(MissingExtra, match=r"instrument-data\[polars\]"):
        spectrum.to_polars()


def test_what_a_dataset_is(spectrum):
    about = spectrum.info()

    assert (about.name, about.row_count) == ("spectrum", 6)
    assert [column["unit"] for column in about.columns] == [None, "nm", "AU"]


def test_a_list_of_datasets_is_shown(lab):
    assert "wavelength" in lab.run("reader", "R1").datasets._repr_html_()
    assert len(lab.runs().datasets) == 1


def test_a_plot_has_a_line_a_trace_and_units(spectrum):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")

    axes = spectrum.plot()

    assert [line.get_label() for line in axes.lines] == ["A", "B"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("wavelength [nm]", "absorbance [AU]")
    matplotlib.pyplot.close("all")


def test_a_label_without_a_unit():
    assert label_of("cycle", {"cycle": None}) == "cycle"


def test_the_list_of_runs_as_a_file(lab, desk, tmp_path):
    desk.tell("GET", "/instrument-runs", Answer(b"run_id,metadata.plate_id\nR1,P7\n"))

    place = lab.runs(plate_id="P7").save(tmp_path / "runs.csv")

    assert place.read_text().startswith("run_id")
    assert desk.asked("/instrument-runs")[-1].asked("format") == ["csv"]


def test_the_same_by_the_asynchronous_face(lab, desk):
    async def read():
        async with ids.connect_async(desk.url, "ids_x") as other:
            run = await other.run("reader", "R1")
            rows = await run.dataset("spectrum").to_arrow()
            desk.tell("GET", ROWS, Answer(json.dumps({"trace": "A"}).encode() + b"\n"))
            return rows.num_rows, [row async for row in run.dataset("spectrum")]

    assert asyncio.run(read()) == (6, [{"trace": "A"}])
