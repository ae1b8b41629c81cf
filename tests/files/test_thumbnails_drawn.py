"""Small pictures of curves and plates: what they show, and that they stay small whatever they are drawn from."""

import math
import re
from xml.etree import ElementTree

import pytest

from files.drawing.documents import NotDrawable
from files.drawing.faults import find_document_fault
from files.drawing.thumbnail import draw_thumbnail
from files.thumbnails.size import MAX_THUMBNAIL_BYTES

SVG = "{http://www.w3.org/2000/svg}"


def curve(*series, x=None, y=None, **more):
    axes = {"x": {"label": "x", "unit": None} | (x or {}), "y": {"label": "y", "unit": None} | (y or {})}
    named = [{"label": str(number), "x": xs, "y": ys} for number, (xs, ys) in enumerate(series)]
    return {"format": "ids-curve/1", "title": "", "style": "line", "series": named} | axes | more


def plate(rows, columns, value):
    names = [(f"{chr(64 + row // 26) if row >= 26 else ''}{chr(65 + row % 26)}", row) for row in range(rows)]
    wells = {
        f"{letter}{column}": {"value": value(row, column)} for letter, row in names for column in range(1, columns + 1)
    }
    about = {"format": "ids-plate/1", "title": "", "quantity": "OD", "unit": "AU"}
    return about | {"rows": rows, "columns": columns, "wells": wells}


def drawn(document, kind="curve"):
    assert find_document_fault(document, kind=kind) is None
    data = draw_thumbnail(document, kind=kind)
    assert len(data) <= MAX_THUMBNAIL_BYTES
    return ElementTree.fromstring(data)


def places(path):
    return [tuple(map(int, place)) for place in re.findall(r"[ML](\d+) (\d+)", path.get("d"))]


def test_a_curve_is_an_outline_with_its_peak_in_its_place():
    xs = list(range(1001))
    svg = drawn(curve((xs, [math.exp(-(((x - 250) / 30) ** 2)) for x in xs])))

    [path] = svg.findall(f"{SVG}path")
    across, down = min(places(path), key=lambda place: place[1])
    assert svg.get("viewBox") == "0 0 480 300"
    assert 125 <= across <= 140
    assert down < 50


def test_an_axis_that_runs_to_the_left_does_so_here():
    xs = list(range(101))
    svg = drawn(curve((xs, [float(x == 25) for x in xs]), x={"reversed": True}))

    across, _ = min(places(svg.find(f"{SVG}path")), key=lambda place: place[1])
    assert across > 300


def test_several_traces_have_colours_of_their_own_and_the_first_lies_above():
    svg = drawn(curve(*(([0, 1, 2], [n, n + 1, n]) for n in range(3))))

    colours = [path.get("stroke") for path in svg.findall(f"{SVG}path")]
    assert len(set(colours)) == 3
    assert colours[-1] == "#5b78e0"


def test_sticks_stand_on_the_ground():
    svg = drawn(curve(([1, 2, 3], [5, 9, 1]), style="sticks"))

    assert len(re.findall(r"M\d+ (\d+)V", svg.find(f"{SVG}path").get("d"))) == 3


HOSTILE = {
    "noise": curve(*(([*range(5000)], [(7919 * x * (n + 1)) % 1000 for x in range(5000)]) for n in range(40))),
    "gaps": curve(([*range(3000)], [x % 7 if x % 3 else None for x in range(3000)])),
    "more sticks than fit": curve(([*range(9000)], [x % 97 for x in range(9000)]), style="sticks"),
    "flat": curve(([1, 2, 3], [0, 0, 0])),
    "one point": curve(([1], [1])),
    "logarithmic": curve(([1, 10, 100], [1e-9, 1, 1e9]), x={"log": True}, y={"log": True}),
}


@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_whatever_the_curve_its_picture_is_small_or_there_is_none(document):
    try:
        drawn(document)
    except NotDrawable:
        assert document is HOSTILE["gaps"]


@pytest.mark.parametrize("document", [curve(([], [])), curve(([1, 2], [None, None]))], ids=["no point", "gaps alone"])
def test_nothing_is_drawn_of_nothing(document):
    with pytest.raises(NotDrawable):
        draw_thumbnail(document, kind="curve")


def test_a_plate_is_its_wells_in_steps_of_one_colour():
    svg = drawn(plate(8, 12, lambda row, column: column if row < 7 else None), "plate")

    shades = [float(path.get("stroke-opacity")) for path in svg.findall(f"{SVG}path")]
    assert svg.get("viewBox") == "0 0 24 16"
    assert shades == sorted(set(shades))
    assert len(shades) == 8
    assert not any(" 15h" in path.get("d") for path in svg.findall(f"{SVG}path"))


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 3), (16, 24), (32, 48)])
def test_plates_of_all_sizes_are_small(rows, columns):
    drawn(plate(rows, columns, lambda row, column: (7919 * (row + 1) * column) % 13), "plate")


def test_a_plate_without_a_number_is_not_drawn():
    with pytest.raises(NotDrawable):
        draw_thumbnail(plate(8, 12, lambda row, column: None), kind="plate")
