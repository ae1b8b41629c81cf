"""JCAMP-DX: every form of data; what was cut off is refused, what miscounts itself is told."""

import pytest

from processing.processors.jcamp.numbers import NumberForm, tokenize_line
from processing.processors.jcamp.reader import read
from processing.readings import Kind, Unreadable
from tests.processing.here import documents, read_here, the
from tests.processing.techniques import list_curves, needs_techniques, read_technique
from tests.samples.instruments import jcamp, jcamp_spectrum

FORMS = {  # the worked examples of the 1988 paper, all of the same ordinates
    "AFFN": "99 1 2 3 3 2 1 0 -1 -2 -3",
    "PAC": "99+1+2+3+3+2+1+0-1-2-3",
    "SQZ": "99ABCCBA@abc",
    "DIF": "99AJJ%jjjjjj\n108c",
    "DIFDUP": "99AJT%jX\n108c",
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "sample.jdx"


def ordinates(path, table, **more):
    output = read_here(read, path, jcamp_spectrum(table, first=99, last=108, points=10, **more))
    (series,) = the(output, Kind.CURVE)["series"]
    return series["y"]


@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_numbers_says_the_same(form, path):
    assert ordinates(path, FORMS[form]) == [1, 2, 3, 3, 2, 1, 0, -1, -2, -3]


def test_abscissae_come_from_the_header_not_from_the_rounded_lines(path):
    output = read_here(read, path, jcamp_spectrum("100 1 2\n101 3 4", first=100, last=100.9, points=4))

    assert the(output, Kind.CURVE)["series"][0]["x"] == [100.0, 100.3, 100.6, 100.9]


def test_an_e_without_a_sign_is_a_digit_and_one_with_a_sign_an_exponent():
    assert tokenize_line("1514.1E96L31") == [
        (NumberForm.VALUE, 1514.1),
        (NumberForm.VALUE, 596.0),
        (NumberForm.DIFFERENCE, 331.0),
    ]
    assert tokenize_line("1.5E+3 2e-1") == [(NumberForm.VALUE, 1500.0), (NumberForm.VALUE, 0.2)]


def test_a_repeat_after_a_difference_repeats_the_step(path):
    assert ordinates(path, "99AJT@JU\n108C", NPOINTS="7", LASTX="105") == [1, 2, 3, 0, 1, 2, 3]


def test_a_missing_ordinate_is_a_gap(path):
    assert ordinates(path, "99 1 2 ? 4 5 6 7 8 9 10")[2] is None


def test_comments_stand_anywhere(path):
    assert ordinates(path, "99 1 2 3 3 2 $$ half\n$$ of it\n104 1 0 -1 -2 -3")[-1] == -3


def test_factors_scale_what_is_written(path):
    assert ordinates(path, FORMS["AFFN"], YFACTOR="0.5")[:3] == [0.5, 1, 1.5]


def test_a_point_too_few_is_drawn_and_told(path):
    text = jcamp_spectrum("99 1 2 3 3 2 1 0 -1 -2", first=99, last=107, points=10)

    output = read_here(read, path, text)

    assert the(output, Kind.CURVE)["series"][0]["y"] == [1, 2, 3, 3, 2, 1, 0, -1, -2]
    assert output.warnings == ["The header announces 10 points, the data hold 9: those are drawn."]


def test_where_points_are_missing_the_lines_say_where_the_others_lie(path):
    text = jcamp_spectrum("100 1 2\n102 3\n104 5 6\n106 7 8", first=100, last=107, points=8)

    assert the(read_here(read, path, text), Kind.CURVE)["series"][0]["x"][2:] == [102, 104, 105, 106, 107]


def test_a_file_that_was_cut_off_is_refused(path):
    text = jcamp_spectrum("99 1 2 3 3 2 1 0 -1 -2", first=99, last=108, points=10).replace("##END=", "")

    with pytest.raises(Unreadable, match="announces 10 points, the data hold 9"):
        read_here(read, path, text)


def test_a_line_that_does_not_continue_the_one_before_is_refused(path):
    with pytest.raises(Unreadable, match="ordinate check fails"):
        ordinates(path, "99AJJ%jjj\n105Ejjj\n108c")


def test_something_that_is_no_number_is_refused(path):
    with pytest.raises(Unreadable, match="which is no number"):
        ordinates(path, "99 1 2 three")


def test_a_wavenumber_axis_runs_to_the_left(path):
    curve = the(read_here(read, path, jcamp_spectrum(FORMS["AFFN"], first=99, last=108, points=10)), Kind.CURVE)

    assert curve["x"] == {"label": "Wavenumber", "unit": "1/cm", "reversed": True}
    assert curve["y"] == {"label": "Absorbance", "unit": "AU"}


def test_pairs_are_taken_as_they_stand(path):
    text = jcamp(
        "XUNITS=NANOMETERS", "YUNITS=TRANSMITTANCE", "NPOINTS=3", "XYPOINTS=(XY..XY)\n200, 0.5; 201.5, 0.6\n203 0.7"
    )

    series = the(read_here(read, path, text), Kind.CURVE)["series"][0]

    assert (series["x"], series["y"]) == ([200.0, 201.5, 203.0], [0.5, 0.6, 0.7])


def test_a_peak_table_is_drawn_as_sticks_and_listed(path):
    text = jcamp(
        "DATA TYPE=MASS SPECTRUM", "XUNITS=M/Z", "YUNITS=RELATIVE ABUNDANCE", "NPOINTS=3",
        "PEAK TABLE=(XY..XY)\n50,5.84 51,9.55\n128,100", title="2-Chlorophenol",
    )  # fmt: skip

    output = read_here(read, path, text)

    assert the(output, Kind.CURVE)["style"] == "sticks"
    assert the(output, Kind.TABLE)["rows"] == [
        ["2-Chlorophenol", 50, 5.84],
        ["2-Chlorophenol", 51, 9.55],
        ["2-Chlorophenol", 128, 100],
    ]
    assert output.run["technique"] == "mass spectrum"


def test_peak_assignments_in_brackets_are_peaks(path):
    text = jcamp(
        "DATA TYPE=NMR PEAK ASSIGNMENTS",
        "XUNITS=PPM",
        "NPOINTS=2",
        "PEAK ASSIGNMENTS=(XYMA)\n( 27.00, 1.0,, < 7>)\n(32.1, 2,D,<6>)",
    )

    curve = the(read_here(read, path, text), Kind.CURVE)

    assert (curve["series"][0]["x"], curve["series"][0]["y"]) == ([27.0, 32.1], [1.0, 2.0])
    assert curve["x"]["reversed"] is True


def test_a_fid_has_a_real_and_an_imaginary_trace(path):
    text = jcamp(
        "DATA TYPE=NMR FID", "NTUPLES=NMR FID", "VAR_NAME=TIME, FID/REAL, FID/IMAG, PAGE NUMBER", "SYMBOL=X, R, I, N",
        "VAR_DIM=4, 4, 4, 2", "UNITS=SECONDS, ARBITRARY UNITS, ARBITRARY UNITS,",
        "FIRST=0, 100, 10, 1", "LAST=0.3, 400, 40, 2",
        "FACTOR=0.1, 10, 10, 1", "PAGE=N=1", "DATA TABLE=(X++(R..R)), XYDATA\n0 10 20 30 40", "PAGE=N=2",
        "DATA TABLE=(X++(I..I)), XYDATA\n0+1+2+3+4", "END NTUPLES=NMR FID",
    )  # fmt: skip

    curve = the(read_here(read, path, text), Kind.CURVE)

    assert [series["label"] for series in curve["series"]] == ["Sample, FID/REAL", "Sample, FID/IMAG"]
    assert [series["y"] for series in curve["series"]] == [[100, 200, 300, 400], [10, 20, 30, 40]]
    assert curve["series"][0]["x"] == [0, 0.1, 0.2, 0.3]
    assert curve["x"] == {"label": "Time", "unit": "s"}


def test_mass_spectra_in_pages_may_differ_in_length(path):
    text = jcamp(
        "NTUPLES=MASS SPECTRUM", "SYMBOL=X, Y, T", "VAR_DIM=, , 2", "UNITS=M/Z, RELATIVE ABUNDANCE, SECONDS",
        "PAGE=T = 5", "DATA TABLE=(XY..XY), PEAKS\n100, 50; 110, 60", "PAGE=T = 10", "NPOINTS=1",
        "DATA TABLE=(XY..XY), PEAKS\n200, 55", "END NTUPLES=MASS SPECTRUM",
    )  # fmt: skip

    curve = the(read_here(read, path, text), Kind.CURVE)

    assert [series["points"] for series in curve["series"]] == [2, 1]


def test_linked_blocks_are_spectra_of_one_file(path):
    inner = [jcamp_spectrum("1 1 2 3", first=1, last=3, points=3).replace("Sample", name) for name in ("One", "Two")]
    text = jcamp("DATA TYPE=LINK", "BLOCKS=2", title="Both").replace("##END=\n", "".join(inner) + "##END=\n")

    output = read_here(read, path, text)

    assert [series["label"] for series in the(output, Kind.CURVE)["series"]] == ["One", "Two"]
    assert output.run["title"] == ["Both", "One", "Two"]
    assert output.run["data_type"] == "INFRARED SPECTRUM"


@pytest.mark.parametrize("units", ["1/CM", "CM-1", "cm^-1", "CM**-1", "Wavenumber (cm-1)", "WAVENUMBERS"])
def test_wavenumbers_are_known_in_the_spellings_of_programs(path, units):
    output = read_here(read, path, jcamp_spectrum("1 1 2 3", first=1, last=3, points=3, XUNITS=units))

    axis = the(output, Kind.CURVE)["x"]
    assert (axis["label"].lower(), axis["unit"]) == ("wavenumber", "1/cm")


def test_a_logarithm_of_reflectance_is_one_name(path):
    output = read_here(read, path, jcamp_spectrum("1 1 2 3", first=1, last=3, points=3, YUNITS="LOG(1/R)"))

    assert the(output, Kind.CURVE)["y"] == {"label": "log(1/R)", "unit": None}


def test_curves_of_different_units_are_drawn_apart(path):
    blocks = [
        jcamp_spectrum("1 1 2 3", first=1, last=3, points=3, YUNITS=units) for units in ("ABSORBANCE", "TRANSMITTANCE")
    ]

    output = read_here(read, path, "".join(blocks))

    assert [artefact.name for artefact in output.artefacts] == ["curves.json", "curves-2.json"]


@pytest.mark.parametrize(
    ("record", "acquired_at"),
    [
        ("LONGDATE=2026/03/14 09:26:53", "2026-03-14T08:26:53+00:00"),
        ("LONG DATE=1997/08/29  16:47:44.00  +0500", "1997-08-29T11:47:44+00:00"),
        ("DATE=94/04/05", "1994-04-04T22:00:00+00:00"),
        ("DATE=2000/10/04\n##TIME=14:47", "2000-10-04T12:47:00+00:00"),
    ],
)
def test_times_are_the_instruments_own_unless_they_have_an_offset(record, acquired_at, path):
    text = jcamp(record, "NPOINTS=1", "XYPOINTS=(XY..XY)\n1 1")

    output = read_here(read, path, text, zone="Europe/Berlin")

    assert output.acquired_at.isoformat() == acquired_at
    assert ("assumed_time_zone" in output.file) == ("+0500" not in record)


def test_an_impossible_date_is_no_date(path):
    assert read_here(read, path, jcamp("LONGDATE=2026/02/30", "XYPOINTS=(XY..XY)\n1 1")).acquired_at is None


def test_line_ends_of_any_system_are_read(path):
    text = jcamp_spectrum(FORMS["AFFN"], first=99, last=108, points=10).replace("\n", "\r")

    assert len(documents(read_here(read, path, text), Kind.CURVE)) == 1


def test_a_file_without_data_is_refused(path):
    with pytest.raises(Unreadable, match="holds no data"):
        read_here(read, path, jcamp("DATA TYPE=LINK", "BLOCKS=0"))


def test_binary_content_is_no_text(path):
    with pytest.raises(Unreadable, match="not text"):
        read_here(read, path, b"##TITLE=\0\x01\x02")


PEAK_TABLE = (
    "##TITLE=T\n##JCAMP-DX=4.24\n##DATA TYPE={kind}\n##XUNITS={x}\n##YUNITS={y}\n##NPOINTS={count}\n{rows}##END=\n"
)


def peak_table(kind, rows, *, x="t [s]", y="Value [mg]"):
    lines = "".join(f"{at} {height}\n" for at, height in rows)
    return PEAK_TABLE.format(kind=kind, x=x, y=y, count=len(rows), rows=f"##PEAK TABLE=(XY..XY)\n{lines}")


def test_thermogravimetry_that_is_kept_as_peaks_is_a_line_with_axes_of_its_own(path):
    curve = the(read_here(read, path, peak_table("TGA", [(0, 12), (1, 11), (2.5, 10)])), Kind.CURVE)

    assert curve["style"] == "line"
    assert [(axis["label"], axis["unit"]) for axis in (curve["x"], curve["y"])] == [("Time", "s"), ("Value", "mg")]


@pytest.mark.parametrize(
    ("kind", "x", "step", "style"),
    [
        ("INFRARED SPECTRUM", "1/CM", 2, "line"),
        ("INFRARED SPECTRUM", "1/CM", 0, "sticks"),
        ("MASS SPECTRUM", "M/Z", 2, "sticks"),
    ],
)
def test_many_points_evenly_apart_are_a_line_unless_they_are_masses(kind, x, step, style, path):
    rows = [(400 + (step * number if step else number**1.5), number % 7) for number in range(300)]

    curve = the(read_here(read, path, peak_table(kind, rows, x=x, y="ARBITRARY UNITS")), Kind.CURVE)

    assert curve["style"] == style


@needs_techniques
def test_of_a_complex_spectrum_the_real_part_is_shown_and_the_imaginary_one_is_there():
    (curve,) = list_curves(read_technique("nmr/ethylvinylether_1h.jdx"))

    assert [series.get("hidden", False) for series in curve["series"]] == [False, True]


def test_decimal_commas_of_a_country_are_decimals(path):
    text = jcamp_spectrum("99 1 2 3", first="99,5", last="100,5", points=3, YFACTOR="0,5")

    (series,) = the(read_here(read, path, text), Kind.CURVE)["series"]

    assert (series["x"], series["y"]) == ([99.5, 100, 100.5], [0.5, 1, 1.5])


def test_commas_between_thousands_are_none_where_other_numbers_have_points(path):
    text = jcamp_spectrum("1000 1 2 3", first="1,000", last="1,001.0", points=3, YFACTOR="0.5")

    (series,) = the(read_here(read, path, text), Kind.CURVE)["series"]

    assert (series["x"], series["y"]) == ([1000, 1000.5, 1001], [0.5, 1, 1.5])


def test_commas_before_three_digits_are_decimals_beside_other_decimal_commas(path):
    text = jcamp_spectrum("99 1 2 3", first="99,125", last="100,5", points=3, YFACTOR="1.0")

    (series,) = the(read_here(read, path, text), Kind.CURVE)["series"]

    assert series["x"] == [99.125, 99.8125, 100.5]


def test_a_count_of_points_has_no_decimals(path):
    rows = "\n".join(f"{start} {' '.join(['7'] * 100)}" for start in range(0, 1200, 100))

    output = read_here(read, path, jcamp_spectrum(rows, first=0, last=1199, points="1,200"))

    assert output.warnings == []
    assert len(the(output, Kind.CURVE)["series"][0]["y"]) == 1200


@pytest.mark.parametrize(
    ("stated", "meant"),
    [
        ("98/03/15", "1998-03-15"),
        ("2015-03-04", "2015-03-04"),
        ("15-MAR-1998", "1998-03-15"),
        ("15 Mar 2021", "2021-03-15"),
    ],
)
def test_dates_that_can_be_read_in_one_way_only_are_read(path, stated, meant):
    output = read_here(
        read, path, jcamp_spectrum("99 1 2 3", first=99, last=101, points=3, DATE=stated, TIME="09:26:53")
    )

    assert output.run["measured_from"] == f"{meant}T09:26:53Z"


@pytest.mark.parametrize(("highest", "unit"), [(100, "%"), (999, None)])
def test_a_relative_abundance_of_more_than_a_hundred_is_no_percentage(path, highest, unit):
    header = ("DATA TYPE=MASS SPECTRUM", "XUNITS=M/Z", "YUNITS=RELATIVE ABUNDANCE", "NPOINTS=2")
    text = jcamp(*header, f"PEAK TABLE=(XY..XY)\n29,50 31,{highest}")

    assert the(read_here(read, path, text), Kind.CURVE)["y"]["unit"] == unit
