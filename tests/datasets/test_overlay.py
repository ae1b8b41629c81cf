"""Curves of several runs over each other, and what is reckoned with them."""

import pytest

from datasets.combining import choose_lines, list_columns
from datasets.overlay import keep_alike, read_curves
from datasets.overlaying import Layout, Scale, draw_overlay, needs_means
from files.drawing.documents import NotDrawable
from tests.datasets.making import make_dataset
from tests.factories import make_stored_file

pytestmark = pytest.mark.django_db
ROLES = {"nm": "axis", "au": "value", "trace": "key"}


def spectrum(x, y, **more):
    units = {"nm": more.pop("unit", "nm"), "au": "AU"}
    return make_dataset({"nm": x, "au": y, **more.pop("also", {})}, name="absorbance", roles=ROLES, units=units, **more)


def overlay(*datasets, scale=Scale.MEASURED, layout=Layout.OVER):
    lines = choose_lines(list_columns(datasets, name="absorbance"), across="", up="", by="")
    curves = read_curves(keep_alike(datasets, lines), lines, as_means=needs_means(scale, layout))
    return draw_overlay(curves, lines, scale=scale, layout=layout, title="t")


def points(document):
    return [(one["x"], pytest.approx(one["y"])) for one in document["series"]]


def test_the_curves_stand_in_the_order_that_was_asked():
    first, second = spectrum([1.0, 2.0], [3.0, 4.0]), spectrum([1.0, 2.0], [1.0, 2.0])

    drawn = overlay(second, first)

    assert [one["label"] for one in drawn["series"]] == [second.run.run_id, first.run.run_id]
    assert points(drawn) == [([1.0, 2.0], [1.0, 2.0]), ([1.0, 2.0], [3.0, 4.0])]


@pytest.mark.parametrize(("scale", "heights"), [(Scale.HIGHEST, [0.5, 1.0]), (Scale.AREA, [2 / 3, 4 / 3])])
def test_heights_are_made_alike(scale, heights):
    drawn = overlay(spectrum([1.0, 2.0], [2.0, 4.0]), spectrum([1.0, 2.0], [20.0, 40.0]), scale=scale)

    assert points(drawn) == [([1.0, 2.0], heights), ([1.0, 2.0], heights)]
    assert drawn["y"]["unit"] is None


def test_an_offset_lifts_each_by_as_much():
    drawn = overlay(spectrum([1.0, 2.0], [0.0, 10.0]), spectrum([1.0, 2.0], [0.0, 5.0]), layout=Layout.OFFSET)

    assert points(drawn)[1] == ([1.0, 2.0], [3.0, 8.0])


def test_a_difference_is_to_the_first_on_straight_lines_between_its_points():
    first, second = spectrum([0.0, 2.0, 4.0], [0.0, 2.0, 4.0]), spectrum([1.0, 3.0, 5.0], [2.0, 2.0, 2.0])

    drawn = overlay(first, second, layout=Layout.DIFFERENCE)

    assert points(drawn) == [([1.0, 3.0], [1.0, -1.0])]
    assert drawn["y"]["label"] == f"au less {first.run.run_id}"


def test_a_mean_has_a_band_of_one_standard_deviation_where_all_have_points():
    first, second = spectrum([0.0, 2.0, 4.0], [0.0, 2.0, 4.0]), spectrum([1.0, 3.0, 5.0], [3.0, 5.0, 7.0])

    drawn = overlay(first, second, layout=Layout.MEAN)

    assert points(drawn) == [
        ([1.0, 2.0, 3.0, 4.0], [2.0, 3.0, 4.0, 5.0]),
        ([1.0, 2.0, 3.0, 4.0], [height - 2**0.5 for height in (2.0, 3.0, 4.0, 5.0)]),
        ([1.0, 2.0, 3.0, 4.0], [height + 2**0.5 for height in (2.0, 3.0, 4.0, 5.0)]),
    ]
    assert drawn["bands"] == [("Mean of 2, less s", "Mean of 2, plus s")]


@pytest.mark.parametrize("layout", [Layout.MEAN, Layout.DIFFERENCE])
def test_curves_that_do_not_overlap_have_no_mean_and_no_difference(layout):
    with pytest.raises(NotDrawable, match="in common"):
        overlay(spectrum([0.0, 1.0], [0.0, 1.0]), spectrum([5.0, 6.0], [0.0, 1.0]), layout=layout)


def test_the_traces_of_a_file_are_curves_of_their_own_and_compared_with_their_like():
    values = {"also": {"trace": ["A", "A", "B", "B"]}}
    first = spectrum([1.0, 2.0, 1.0, 2.0], [1.0, 1.0, 5.0, 5.0], **values)
    second = spectrum([1.0, 2.0, 1.0, 2.0], [2.0, 3.0, 5.0, 4.0], **values)

    drawn = overlay(first, second, layout=Layout.DIFFERENCE)

    name = second.run.run_id
    assert [one["label"] for one in drawn["series"]] == [f"{name} · A", f"{name} · B"]
    assert points(drawn) == [([1.0, 2.0], [1.0, 2.0]), ([1.0, 2.0], [0.0, -1.0])]


def test_files_of_one_run_are_told_apart():
    first = spectrum([1.0, 2.0], [1.0, 2.0])
    other = make_stored_file("again.csv", b"a,b\n", run=first.run)
    spectrum([1.0, 2.0], [5.0, 6.0], run=first.run, source_file=other)

    datasets = list(first.run.datasets.select_related("run", "source_file", "file"))

    assert len(points(overlay(*datasets))) == 2


def test_other_units_are_left_out():
    first, other = spectrum([1.0, 2.0], [1.0, 2.0]), spectrum([1.0, 2.0], [5.0, 6.0], unit="cm-1")

    assert points(overlay(first, other)) == [([1.0, 2.0], [1.0, 2.0])]


def test_a_long_curve_keeps_its_peak_to_look_at_and_its_means_to_reckon_with():
    x = [float(place) for place in range(10_000)]
    y = [1.0] * 10_000
    y[4_321] = 99.0
    long, other = spectrum(x, y), spectrum([0.0, 9_999.0], [1.0, 1.0])

    shown, less = overlay(long, other), overlay(other, long, layout=Layout.DIFFERENCE)

    assert max(shown["series"][0]["y"]) == 99.0
    assert shown["series"][0]["points"] <= 1_000
    assert len(less["series"][0]["x"]) == 1_000
    assert max(less["series"][0]["y"]) == pytest.approx(9.8)
