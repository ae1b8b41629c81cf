"""What programs hold, as the service takes it: numbers of NumPy, times of pandas, and what cannot be kept."""

from datetime import date, datetime, timezone
from pathlib import Path, PurePosixPath

import pytest

import instrument_data as ids
from client.tests import shapes
from client.tests.desk import Answer, listed
from instrument_data.errors import NotConnected, UnknownName
from instrument_data.filters import read_filters
from instrument_data.plain import plain
from instrument_data.times import moment_text

numpy = pytest.importorskip("numpy")
pandas = pytest.importorskip("pandas")


@pytest.fixture
def lab(desk):
    desk.tell("GET", "/instruments", listed([{"id": "reader", "display_name": "Synergy Neo2"}]))
    desk.tell("GET", "/instruments/reader/runs/R1", Answer(shapes.run()))
    desk.tell("GET", "/instruments/reader/runs/R1/files", listed([shapes.file("plate/raw.csv")]))
    with ids.connect(desk.url, "ids_x", patience=1) as laboratory:
        yield laboratory


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (numpy.int64(3), 3),
        (numpy.float64(0.5), 0.5),
        (numpy.bool_(True), True),
        (numpy.arange(2), [0, 1]),
        ((1, [numpy.float32(0.5)]), [1, [0.5]]),
        ({1: PurePosixPath("a/b")}, {"1": "a/b"}),
        (date(2026, 1, 2), "2026-01-02"),
        (pandas.Timestamp("2026-01-02T03:00:00Z"), "2026-01-02T03:00:00+00:00"),
        (None, None),
    ],
)
def test_values_become_those_of_json(value, kept):
    assert plain(value, name="metadata") == kept


@pytest.mark.parametrize(
    ("value", "error", "told"),
    [
        ({"t": float("nan")}, ValueError, r"metadata\.t is nan"),
        ({"t": [1, numpy.inf]}, ValueError, r"metadata\.t\[1\] is inf"),
        ({"t": {1, 2}}, TypeError, r"metadata\.t is a set"),
        ({"t": pandas.NaT}, ValueError, "NaT is no time"),
    ],
)
def test_what_cannot_be_kept_is_named(value, error, told):
    with pytest.raises(error, match=told):
        plain(value, name="metadata")


@pytest.mark.parametrize(
    "when",
    [
        pandas.Timestamp("2026-01-02T03:00:00.123456789Z"),
        pandas.Timestamp("2026-01-02T04:00:00.123", tz="Europe/Berlin"),
        datetime(2026, 1, 2, 3, 0, 0, 123000, tzinfo=timezone.utc),
    ],
)
def test_moments_of_pandas_are_moments(when):
    assert moment_text(when) == "2026-01-02T03:00:00.123Z"


def test_moments_without_a_zone_are_of_this_computer():
    naive = datetime(2026, 1, 2, 3)

    assert moment_text(numpy.datetime64("2026-01-02T03:00")) == moment_text(naive)
    assert moment_text(pandas.Timestamp(naive)) == moment_text(naive)


@pytest.mark.parametrize(
    ("when", "error"), [(5, TypeError), (b"today", TypeError), (numpy.datetime64("NaT"), ValueError)]
)
def test_what_is_no_time_is_told(when, error):
    with pytest.raises(error, match="is no time"):
        moment_text(when)


@pytest.mark.parametrize(
    ("asked", "error", "told"),
    [
        ({"also": {"temperature__gt": float("nan")}}, ValueError, "compared with nan"),
        ({"also": {"plate_id": None}}, ValueError, "is None"),
        ({"also": {"temperature__gte": 37}}, ValueError, "ge is meant"),
        ({"metadata": "plate_id=P7"}, TypeError, "a mapping"),
        ({"instrument": Path("reader")}, TypeError, "is no name"),
        ({"status": b"failed"}, TypeError, "is no name"),
    ],
)
def test_filters_that_would_find_nothing_are_refused(asked, error, told):
    with pytest.raises(error, match=told):
        read_filters(**asked)


def test_values_of_numpy_are_compared_as_what_they_are():
    asked = {"temperature__gt": numpy.int64(3), "is_blank": numpy.bool_(True)}

    assert read_filters(also=asked).params == [("metadata[temperature][gt]", "3"), ("metadata[is_blank]", "true")]


def test_runs_are_asked_for_by_number_or_name(lab):
    with pytest.raises(TypeError, match=r"runs\.first"):
        lab.runs()[0:2]
    for name in ("", ".", ".."):
        with pytest.raises(UnknownName, match="No run is called"):
            lab.run("reader", name)


def test_a_file_is_named_by_a_path_and_not_by_a_number(lab):
    run = lab.run("reader", "R1")

    assert run.files[PurePosixPath("plate/raw.csv")].relative_path == "plate/raw.csv"
    with pytest.raises(TypeError, match="Files have names"):
        run.files[0]


def test_what_cannot_be_done_is_told_before_anything_is_asked(lab, desk):
    with pytest.raises(ValueError, match="parallel"):
        lab.upload(".", instrument="reader", run="r", parallel=0)
    lab.close()
    with pytest.raises(NotConnected, match="closed"):
        lab.whoami()

    assert desk.questions == []


def test_a_tag_of_another_form_is_told(lab):
    with pytest.raises(ValueError, match="is no tag"):
        lab.run("reader", "R1").tag("Not A Slug!")
