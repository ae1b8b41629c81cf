"""The picture of a curve for pages without script: well-formed, small, under the strict policy."""

import math
from xml.etree.ElementTree import fromstring

import pytest

from processing.drawing import draw_curve

CURVE = {
    "format": "ids-curve/1",
    "title": "Indene",
    "x": {"label": "Wavenumber", "unit": "1/cm", "reversed": True},
    "y": {"label": "Absorbance", "unit": "AU"},
    "series": [{"label": "A1", "x": [400, 500, 600], "y": [0.1, 0.9, 0.2], "points": 3}],
}


def paths(svg):
    return [path.get("d") for path in fromstring(svg).iter("path")]


def test_a_curve_is_named_and_described():
    root = fromstring(draw_curve(CURVE, name="p1"))

    assert root.get("aria-labelledby") == "p1-t p1-d"
    assert root.find("title").text == "Indene, absorbance against wavenumber"
    assert root.find("desc").text == "600 to 400 1/cm. Highest at 500 1/cm with 0.9 AU."
    assert {text.text for text in root.iter("text") if text.get("class") == "unit"} == {
        "Wavenumber (1/cm)",
        "Absorbance (AU)",
    }


def test_a_reversed_axis_runs_to_the_left():
    (path,) = paths(draw_curve(CURVE, name="p"))

    assert path == "M1000 955L500 45L0 841"


def test_a_gap_is_not_bridged():
    series = {"label": "A1", "x": [1, 2, 3, 4, 5], "y": [1, 2, None, 4, 5], "points": 5}

    (path,) = paths(draw_curve(CURVE | {"series": [series]}, name="p"))

    assert path.count("M") == 2


def test_no_more_than_a_thousand_points_are_drawn_and_the_peak_is_among_them():
    y = [math.sin(place / 50) for place in range(5000)]
    y[1234] = 9.0

    (path,) = paths(
        draw_curve(CURVE | {"series": [{"label": "", "x": list(range(5000)), "y": y, "points": 5000}]}, name="p")
    )

    assert path.count("L") < 1000
    assert " 45" in path


def test_peaks_are_sticks_from_the_axis():
    (path,) = paths(draw_curve(CURVE | {"style": "sticks"}, name="p"))

    assert path.count("M") == path.count("V") == 3


def test_nothing_in_it_needs_a_looser_policy():
    svg = draw_curve(CURVE | {"title": '<script>"&'}, name="p")

    assert not {"style=", "<script", "onload", "href"} & set(svg.replace(">", " ").split())
    assert "style=" not in svg
    assert "&lt;script&gt;" in svg


@pytest.mark.parametrize("y", [[None, None], []])
def test_a_curve_without_points_draws_nothing(y):
    assert draw_curve(CURVE | {"series": [{"label": "", "x": [1, 2][: len(y)], "y": y, "points": 2}]}, name="p") == ""


@pytest.mark.parametrize("y", [[5, 5], [0, 0], [-3, -3]])
def test_a_flat_line_is_drawn_in_the_middle(y):
    (path,) = paths(draw_curve(CURVE | {"series": [{"label": "", "x": [1, 2], "y": y, "points": 2}]}, name="p"))

    assert path == "M1000 500L0 500"
