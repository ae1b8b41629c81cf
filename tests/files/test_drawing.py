"""The pictures of artefacts for pages without script: every peak, true axes, and nothing of a faulty document."""

import math

import pytest

from files.drawing.curve import build_plot
from files.drawing.documents import NotDrawable
from files.drawing.faults import find_document_fault
from files.drawing.plate import build_plate_view
from files.drawing.table import build_table_view

CURVE = {
    "format": "ids-curve/1",
    "title": "Indene",
    "x": {"label": "Wavenumber", "unit": "1/cm", "reversed": True},
    "y": {"label": "Absorbance", "unit": "AU"},
    "series": [{"label": "A1", "x": [400, 500, 600], "y": [0.1, 0.9, 0.2], "points": 3}],
}
PLATE = {
    "format": "ids-plate/1",
    "title": "Growth",
    "rows": 2,
    "columns": 3,
    "quantity": "absorbance",
    "unit": "(unitless)",
    "wells": {"A1": {"value": -0.003, "values": [-0.003, 0.5]}, "B1": {"value": 0.1, "values": [0.1, 1.0]}},
    "steps": {"label": "Time", "unit": "s", "values": [0, 60]},
}


def curve(series, **more):
    return CURVE | {"series": [{"label": "", "points": len(series[0]), "x": series[0], "y": series[1]}]} | more


def path_of(document):
    (trace,) = build_plot(document).traces
    return trace.path


def test_a_curve_is_described_with_its_units():
    plot = build_plot(CURVE)

    assert (plot.x_title, plot.y_title) == ("Wavenumber (cm⁻¹)", "Absorbance (AU)")
    assert plot.description == "A1 is highest at 500 cm⁻¹ with 0.9 AU."


def test_of_infrared_transmittance_the_lowest_place_is_told():
    transmittance = {"label": "Transmittance", "unit": "%T"}
    filtered = curve(([400, 500, 600], [1, 98, 2]), x={"label": "Wavelength", "unit": "nm"}, y=transmittance)

    measured = build_plot(curve(([4000, 765, 400], [98, 12, 97]), y=transmittance))

    assert measured.description == "The trace is lowest at 765 cm⁻¹ with 12 %T."
    assert build_plot(filtered).description == "The trace is highest at 500 nm with 98 %T."


@pytest.mark.parametrize(
    ("heights", "said"),
    [
        ([9, 4, 2, 3, 5, 3, 1], "The trace is highest at 500 nm with 5 AU."),
        ([9, 7, 5, 4, 3, 2, 1], ""),
        ([9, 7, 5, 5.01, 3, 2, 1], ""),
        ([1, 4, 9, 3, 5, 3, 1], "The trace is highest at 300 nm with 9 AU."),
    ],
    ids=["peak inside", "falling", "noise", "highest inside"],
)
def test_the_rim_of_a_spectrum_is_no_peak(heights, said):
    drawn = build_plot(curve((list(range(100, 800, 100)), heights), x={"label": "Wavelength", "unit": "nm"}))

    assert drawn.description == said


def test_powers_of_ten_are_written_as_the_axis_has_them():
    heights = [0, 2.634e9]

    plot = build_plot(curve(([1, 2], heights)))

    assert plot.description == "The trace is highest at 2 cm⁻¹ with 2.63e9 AU."
    assert plot.y_ticks[1].text == "1e9"


def test_an_axis_that_counts_has_whole_numbers_alone():
    drawn = CURVE | {"series": [{"label": "OD", "x": [1, 2, 3], "y": [0.1, 0.9, 0.2], "points": 3}]}

    counted = build_plot(drawn | {"x": {"label": "Run", "unit": None, "whole": True}})
    measured = build_plot(drawn | {"x": {"label": "Time", "unit": "h"}})

    assert [tick.text for tick in counted.x_ticks] == ["1", "2", "3"]
    assert [tick.text for tick in measured.x_ticks] == ["1.0", "1.5", "2.0", "2.5", "3.0"]


def test_bases_have_their_colours_and_are_counted_as_bases():
    series = [{"label": base, "x": [0, 1], "y": [1, 2], "points": 2} for base in "GATC"]
    marks = [{"label": "A", "x": 0}, {"label": "C", "x": 1}]
    plot = build_plot(CURVE | {"series": series, "marks": marks})

    assert [trace.style for trace in plot.traces] == ["base-g", "base-a", "base-t", "base-c"]
    assert plot.marks_title == "2 bases"
    assert build_plot(CURVE | {"marks": [marks[0], {"label": "Limit", "y": 0.2}]}).marks_title == "1 peak, 1 threshold"


def test_a_number_is_no_name_of_a_single_trace():
    (series,) = CURVE["series"]

    assert build_plot(CURVE | {"series": [{**series, "label": "1"}]}).description.startswith("The trace is highest")


def test_lines_of_equal_height_have_air_around_them():
    (tick,) = [tick for tick in build_plot(CURVE | {"style": "contours"}).x_ticks if tick.text == "400"]

    assert tick.at == "96.30%"


def test_a_reversed_axis_runs_to_the_left():
    assert path_of(CURVE).startswith("M1000 ")
    assert [tick.at for tick in build_plot(CURVE).x_ticks if tick.text == "400"] == ["100.00%"]


def test_a_gap_is_not_bridged_and_a_lone_point_is_seen():
    path = path_of(curve(([1, 2, 3, 4, 5, 6], [1, 2, None, 4, None, 5])))

    assert (path.count("M"), path.count("L"), path.count("h")) == (3, 1, 2)


def test_of_many_points_a_thousand_are_drawn_and_the_peak_is_among_them():
    heights = [math.sin(place / 50) for place in range(5000)]
    heights[1234] = 9.0

    plot = build_plot(curve((list(range(5000)), heights)))

    assert plot.traces[0].path.count("L") < 1000
    assert plot.description == "The trace is highest at 1,234 cm⁻¹ with 9 AU."
    top = min(float(point.split()[1]) for point in plot.traces[0].path[1:].split("L"))
    assert top == pytest.approx(45, abs=1)


def test_peaks_are_sticks_from_zero():
    path = path_of(CURVE | {"style": "sticks"})

    assert path.count("M") == path.count("V") == 3
    assert build_plot(CURVE | {"style": "sticks"}).y_ticks[0].text == "0"


def test_a_logarithmic_axis_has_powers_of_ten_and_leaves_out_what_has_no_place():
    document = curve(([1, 2, 3, 4], [10, 0, 1000, 100_000]), y={"label": "Counts", "log": True})

    plot = build_plot(document)

    assert [tick.text for tick in plot.y_ticks] == ["10", "100", "1,000", "10,000", "100,000"]
    assert plot.traces[0].path.count("M") == 2


def test_a_logarithmic_axis_of_two_powers_of_ten_has_numbers_between_them():
    document = curve(([20, 330, 2000], [1, 2, 3]), x={"label": "Size", "unit": "bp", "log": True})

    texts = [tick.text for tick in build_plot(document).x_ticks]

    assert texts == ["20", "50", "100", "200", "500", "1,000", "2,000"]


@pytest.mark.parametrize(
    ("heights", "texts"),
    [
        ([0.123, 0.124], ["0.1230", "0.1235", "0.1240"]),
        ([0, 4e7], ["0", "1e7", "2e7", "3e7", "4e7"]),
        ([5, 5], ["4", "6"]),
    ],
)
def test_ticks_are_round_short_and_told_apart(heights, texts):
    assert [tick.text for tick in build_plot(curve(([1, 2], heights))).y_ticks] == texts


def test_many_traces_are_drawn_in_few_points_and_the_rest_is_counted():
    one = {"label": "w", "x": list(range(1000)), "y": list(range(1000)), "points": 1000}

    plot = build_plot(CURVE | {"series": [one] * 30})

    assert (len(plot.traces), plot.left_out) == (24, 6)
    assert sum(trace.path.count("L") for trace in plot.traces) <= 1000


@pytest.mark.parametrize("heights", [[None, None], []])
def test_a_curve_without_points_is_not_drawn(heights):
    with pytest.raises(NotDrawable):
        build_plot(curve(([1, 2][: len(heights)], heights)))


def test_the_colours_of_a_plate_span_all_times_so_that_a_slider_shows_the_change():
    first, last = build_plate_view(PLATE), build_plate_view(PLATE, step=1)

    assert (first.low, first.high) == (last.low, last.high) == ("-0.003", "1")
    assert first.rows[0][1][0].look == "v1"
    assert last.rows[1][1][0].look == "v8"
    assert (last.steps[last.step], last.step_label, last.unit) == ("60 s", "Time", "")


def test_small_negative_numbers_keep_their_digits():
    wells = {"A1": {"value": -0.00312}, "A2": {"value": -0.0011}}

    view = build_plate_view({**PLATE, "wells": wells, "steps": {"label": "", "values": []}})

    assert [well.text for well in view.rows[0][1][:2]] == ["-0.0031", "-0.0011"]


def test_times_in_a_table_are_written_for_people():
    table = {"format": "ids-table/1", "columns": [{"name": "Time"}, {"name": "Note"}], "total_rows": 2}
    rows = [["2022-03-21T16:56:00+00:00", "x" * 60], ["2015-07-21T08:14:29.5-05:00", "T"]]

    view = build_table_view({**table, "rows": rows})

    assert [row[0].text for row in view.rows] == ["2022-03-21 16:56:00 UTC", "2015-07-21 08:14:29 -05:00"]
    assert [row[1].is_long for row in view.rows] == [True, False]


def test_numbers_of_a_table_are_filled_to_the_longest_fraction_of_their_column():
    table = {"format": "ids-table/1", "columns": [{"name": "Well"}, {"name": "Value"}], "total_rows": 4}

    view = build_table_view({**table, "rows": [["A1", 0.5], ["A2", 1234.25], ["A3"], ["A4", 7], ["A5", 1e-7]]})

    assert [[cell.text for cell in row[1:]] for row in view.rows] == [["0.5"], ["1,234"], [], ["7"], ["1e-7"]]
    assert [[cell.filler for cell in row[1:]] for row in view.rows] == [[""], [".0"], [], [".0"], [""]]


@pytest.mark.parametrize(
    "document",
    [
        curve(([1, 2], [1])),
        curve(([1, "2"], [1, 2])),
        curve(([1, 10**400], [1, 2])),
        curve(([1], [float("nan")])),
        CURVE | {"x": {"label": 5}},
        CURVE | {"series": {"a": 1}},
        CURVE | {"series": [[1, 2]]},
        CURVE | {"format": "other"},
    ],
)
def test_what_a_script_wrote_wrongly_is_found_before_it_is_drawn(document):
    assert find_document_fault(document, kind="curve")


SQUARE = {
    "format": "ids-curve/1",
    "x": {"label": "Z'", "unit": "Ohm"},
    "y": {"label": "-Z''", "unit": "Ohm"},
    "aspect": "equal",
    "series": [{"label": "Impedance", "x": [0, 100], "y": [0, 20]}],
}
PPM = {"unit": "ppm", "reversed": True}


def test_a_unit_is_as_long_on_both_axes_of_a_square_plot():
    plot = build_plot(SQUARE)

    assert (plot.look, plot.traces[0].path) == ("square", "M0 1000L1000 800")


def test_points_that_stand_apart_are_seen():
    assert build_plot(SQUARE).traces[0].dots == "M0 1000h0M1000 800h0"


def test_contours_have_one_colour_and_both_axes_run_down():
    series = [{"label": "1e5", "x": [1, 2], "y": [1, 9]}, {"label": "2e5", "x": [1, 2], "y": [1, 9]}]
    axes = {"x": {"label": "F2", **PPM}, "y": {"label": "F1", **PPM}}

    plot = build_plot({"format": "ids-curve/1", "style": "contours", **axes, "series": series})

    assert {trace.style for trace in plot.traces} == {"contour"}
    assert (plot.look, plot.levels) == ("contours", "1e5 to 2e5")
    assert float(plot.y_ticks[0].at.rstrip("%")) < float(plot.y_ticks[-1].at.rstrip("%"))


def test_peaks_and_thresholds_are_listed():
    marks = [{"label": "Caffeine", "x": 10.5, "bounds": [10, 11], "area": 1234.5}, {"label": "Threshold", "y": 0.2}]

    assert build_plot({**SQUARE, "marks": marks}).marks == [
        ["Caffeine", "10.5 Ω", "1,234"],
        ["Threshold", "0.2 Ω", ""],
    ]


@pytest.mark.parametrize(
    "mark",
    [
        {"label": "P"},
        {"x": 1},
        {"label": "P", "x": "1"},
        {"label": "P", "x": 1, "bounds": [1]},
        {"label": "P", "x": 1, "area": True},
    ],
    ids=["nowhere", "nameless", "a word", "half a peak", "no number"],
)
def test_a_mark_that_cannot_be_drawn_is_a_fault(mark):
    assert find_document_fault({**SQUARE, "marks": [mark]}, kind="curve") is not None


def test_a_hidden_trace_is_left_to_script():
    real, imaginary = ({"label": name, "x": [1, 2], "y": [1, 2], "points": 2} for name in ("Real", "Imaginary"))

    plot = build_plot(CURVE | {"series": [real, imaginary | {"hidden": True}]})

    assert [trace.label for trace in plot.traces] == ["Real"]
    assert plot.left_out == 0
    assert len(build_plot(CURVE | {"series": [imaginary | {"hidden": True}]}).traces) == 1


def test_masses_in_a_table_have_the_digits_that_tell_molecules_apart():
    columns = [{"name": "Precursor m/z"}, {"name": "Calculated mass"}, {"name": "mass concentration"}, {"name": "Time"}]
    document = {"format": "ids-table/1", "columns": columns, "rows": [[431.1974, 860.39212, 101.23456, 1.016667]]}

    (row,) = build_table_view(document).rows

    assert [cell.text for cell in row] == ["431.1974", "860.3921", "101.2", "1.017"]
