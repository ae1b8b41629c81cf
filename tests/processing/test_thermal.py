"""Thermal analysis in the text exports of NETZSCH, PerkinElmer, TA Instruments and Mettler Toledo."""

import json
import re

import pytest

from files.drawing.trace_names import name_trace
from processing.processors.thermal.reader import read
from processing.readings import Unreadable
from processing.text_encoding import decode_text
from tests.processing.here import read_here
from tests.processing.techniques import FOLDER, list_curves, list_tables, name_type, needs_techniques, read_technique

NETZSCH = (
    "#EXPORTTYPE:DATA ALL\n#DECIMAL:COMMA\n#SEPARATOR:SEMICOLON\n#MTYPE:DSC\n#IDENTITY:Indium\n"
    "#DATE/TIME:30.03.2021 10:53\n\n##Temp./°C;Time/min;DSC/(mW/mg)\n 27,5;0,0;-0,25\n 28,5;0,5;1,75\n"
)
PYRIS = (
    "Filename:\tx\nSample ID:\tPE \nTotal Points in Run:\t{announced} \n1) DSC 8500 Isothermal \n"
    "\tTime\tUnsubtracted\tSample \n\t    \tHeat Flow\tTemperature \n"
    "\t0.0\t-16.1\t-15.05 \n2) DSC Temperature Scan \n\t0.5\t-16.2\t-14.05 \nDATA TAKEN FOR:\n\t1.0\t2.0\t3.0\n"
)
TA = (
    "Version\t2.0\nInstSerial\t1\nSample\tCryo\nNsig\t2\nSig1\tTime (min)\nSig2\tWeight (mg)\nStartOfData\n"
    "-3.0\t1.0\n0.1\t20.5\n0.2\t20.25\n-1.0\t0.0\n"
)


def test_decimal_commas_and_units_are_those_of_the_export(tmp_path):
    output = read_here(read, tmp_path / "a.txt", NETZSCH, zone="Europe/Berlin")

    first = list_curves(output)[0]
    assert (first["series"][0]["x"], first["series"][0]["y"]) == ([27.5, 28.5], [-0.25, 1.75])
    assert (first["x"]["unit"], output.run["technique"]) == ("°C", "DSC")
    assert first["y"] == {"label": "DSC", "unit": "mW/mg"}
    assert output.acquired_at.isoformat() == "2021-03-30T08:53:00+00:00"


@pytest.mark.parametrize(("program", "is_told"), [("27°C/5.0(K/min)/28°C", False), ("27°C/5.0(K/min)/700°C", True)])
def test_values_that_end_before_the_program_are_told(program, is_told, tmp_path):
    output = read_here(read, tmp_path / "a.txt", NETZSCH.replace("#MTYPE", f"#RANGE:{program}\n#MTYPE"))

    assert any("28.5" in said for said in output.warnings) == is_told


def test_steps_of_a_method_make_one_table_and_calibrations_are_no_data(tmp_path):
    output = read_here(read, tmp_path / "a.txt", PYRIS.format(announced=2))

    assert list_tables(output)[0]["rows"] == [[0, -16.1, -15.05], [0.5, -16.2, -14.05]]
    assert output.warnings == []


def test_fewer_points_than_announced_are_told(tmp_path):
    output = read_here(read, tmp_path / "a.txt", PYRIS.format(announced=7))

    assert output.warnings == ["The header announces 7 points; the file holds 2."]


def test_marks_of_the_methods_steps_are_no_measurements(tmp_path):
    output = read_here(read, tmp_path / "a.txt", TA.encode("utf-16"))

    assert list_tables(output)[0]["rows"] == [[0.1, 20.5], [0.2, 20.25]]
    assert name_type(tmp_path / "a.txt") == "thermal-text"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (NETZSCH.replace("0,5;1,75", "0,5"), "Line 10 holds 2 values; its table has 3 columns"),
        (NETZSCH.replace("0,5;1,75", "0,5;x"), "Line 10 holds something else than numbers"),
        (NETZSCH[: NETZSCH.index(" 27,5")], "It holds no measured values"),
        (TA[: TA.index("StartOfData")], "It ends before its data"),
    ],
)
def test_damage_is_told_with_a_sentence(tmp_path, text, sentence):
    with pytest.raises(Unreadable, match=sentence):
        read_here(read, tmp_path / "a.txt", text)


def test_an_export_without_its_end_is_warned_of(tmp_path):
    cut = TA[: TA.index("-1.0")]

    assert "The mark that ends the data is missing" in read_here(read, tmp_path / "a.txt", cut).warnings[0]


METTLER_ROWS = [f"  {at}  {at}  {30 + at / 2:.3f}  12.{at:03}" for at in range(40)]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (METTLER_ROWS, []),
        ([*METTLER_ROWS[:20], "  20  20  40.0", *METTLER_ROWS[21:]], ["break off behind 20, and others follow"]),
        ([*METTLER_ROWS[:20], *METTLER_ROWS[30:]], ["the row 19 is followed by 30"]),
        ([*METTLER_ROWS[:30], *METTLER_ROWS[10:]], ["the row 29 is followed by 10"]),
    ],
)
def test_rows_that_were_counted_are_whole_or_doubted(tmp_path, rows, told):
    titles = "Index t Ts Value".replace(" ", "   "), "[s]   [°C]   [mg]"
    head = ["Title   09.08.2018 14:55", "", "Curve Name:", "  =TEST TGA", "Curve Values:", *titles]
    text = "\n".join([*head, *rows, "Results:", "Not signed   STARe SW 16.00"])

    warnings = read_here(read, tmp_path / "a.txt", text).warnings

    assert [sentence for sentence in warnings if not any(one in sentence for one in told)] == []
    assert len(warnings) == len(told)


@needs_techniques
@pytest.mark.parametrize(
    ("name", "technique", "rows", "first", "last"),
    [
        ("netzsch.txt", "TGA", 270, [27.141, 0, 99.98948], None),
        ("perkinElmer_tga4000.txt", "TGA", 1155, [0, 12.40926, 0, 50, 47.24, 19.8, 0], [19.23333, 7.604116]),
        ("PerkinElmerAscii.txt", "DSC", 7610, [0, -16.10537, 0, -15, -15.05, 0, 0.89691, -16.10537], None),
        ("TAInstruments.txt", "TGA", 15577, [0.000666667, 22.70189, 20.8216, 10.06382, 90.00909], None),
        ("mettlerToledoWeight.txt", "STA", 2251, [0, 0, 36.625, 35, 12.8009], [2250, 2250, 649.233, 650, 2.304]),
    ],
)
def test_real_exports_keep_every_row(name, technique, rows, first, last):
    output = read_technique(f"thermal/{name}")

    table = list_tables(output)[0]
    assert (output.run["technique"], output.run["rows"], table["total_rows"]) == (technique, rows, rows)
    assert table["rows"][0] == first
    assert last is None or table["rows"][-1][: len(last)] == last
    assert output.warnings == []


def list_names(output):
    """Of its curves, in the order of the page, with their axes."""
    named = sorted(
        ((artefact.name, json.loads(artefact.data)) for artefact in output.artefacts), key=lambda one: one[0]
    )
    return [(one["y"]["label"], one["x"]["label"]) for _, one in named if one["format"] == "ids-curve/1"]


def test_the_first_of_tga_is_the_weight_against_temperature(tmp_path):
    given = TA.replace("Nsig\t2\nSig1\tTime (min)\nSig2\tWeight (mg)", "Nsig\t4\n{}").format(
        "Sig1\tTime (min)\nSig2\tTemperature (°C)\nSig3\tBalance Purge Flow (mL/min)\nSig4\tWeight (mg)"
    )
    rows = given.replace("-3.0\t1.0\n0.1\t20.5\n0.2\t20.25\n-1.0\t0.0\n", "0.1\t30\t40\t20.5\n-1.0\t0\t0\t0\n")

    output = read_here(read, tmp_path / "a.txt", rows)

    assert list_names(output)[0] == ("Weight", "Temperature")
    assert list_names(output)[-1][0] == "Balance Purge Flow"


@needs_techniques
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("TAInstruments.txt", ("Weight", "Temperature")),
        ("PerkinElmerAscii.txt", ("Unsubtracted Heat Flow", "Sample Temperature")),
        ("perkinElmer_tga4000.txt", ("Unsubtracted Weight", "Sample Temperature")),
        ("mettlerToledoWeight.txt", ("Value", "Ts")),
    ],
)
def test_what_the_field_looks_at_comes_first_and_all_are_thermograms(name, expected):
    output = read_technique(f"thermal/{name}")

    assert list_names(output)[0] == expected
    assert {name_trace(one, technique=output.run["technique"]).plural for one in list_curves(output)} == {"Thermograms"}


REAL = [
    "netzsch.txt",
    "PerkinElmerAscii.txt",
    "perkinElmer_tga4000.txt",
    "TAInstruments.txt",
    "mettlerToledoWeight.txt",
]
BETWEEN_DIGITS = re.compile(r"(?<![\d.:])(-?\d+)\.(\d+)(?![\d.:])")


@needs_techniques
@pytest.mark.parametrize("name", REAL)
def test_decimal_commas_of_a_country_are_the_same_numbers(name, tmp_path):
    """In the rows of numbers, and in what the head says of the sample's mass."""
    data = (FOLDER / "thermal" / name).read_bytes()
    usual = read_here(read, tmp_path / name, data)

    found = read_here(read, tmp_path / name, with_commas(decode_text(data).text).encode())

    assert list_tables(found) == list_tables(usual)
    assert found.run.get("sample_mass_mg") == usual.run.get("sample_mass_mg")
    assert (found.acquired_at, found.warnings) == (usual.acquired_at, usual.warnings)


def with_commas(text):
    rows = (line if is_head(line) else BETWEEN_DIGITS.sub(r"\1,\2", line) for line in text.split("\n"))
    return "\n".join(rows)


def is_head(line):
    return any(character.isalpha() for character in line) and "Weight" not in line and "MASS" not in line


@needs_techniques
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_an_export_is_known_in_every_encoding(encoding, tmp_path):
    for name in REAL:
        text = decode_text((FOLDER / "thermal" / name).read_bytes()).text
        (tmp_path / name).write_bytes(text.removeprefix("\ufeff").encode(encoding))

        assert name_type(tmp_path / name) == "thermal-text", name
        assert list_tables(read_here(read, tmp_path / name, (tmp_path / name).read_bytes()))
