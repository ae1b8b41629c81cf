"""Texts too large to be held: read in blocks, with what stands out of each curve."""

import pytest

from processing.processors import generic
from processing.processors.columns import large_rows, reader
from processing.readings import GIB, MIB, Kind, Unrecognised
from processing.registry import GENERIC_TYPE
from tests.processing.here import documents, read_here, the
from tests.processing.reading import read as read_in_child
from tests.processing.reading import read_peak

NAMES = "Time (s),Pressure (bar),Flow (mL/min)\n"


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(reader, "MAX_HELD_BYTES", 10_000)
    monkeypatch.setattr(large_rows, "BLOCK_BYTES", 8_192)


def rows_of(count: int) -> str:
    return "".join(f"{n},{n % 7},{n * 2}\n" for n in range(count))


def test_a_curve_keeps_its_spike_and_says_how_many_points_it_has(tmp_path):
    text = (
        "Operator,Jenny\n" + NAMES + rows_of(5000) + "5000,99999,1\n" + "".join(f"{n},1,1\n" for n in range(5001, 9000))
    )

    output = read_here(generic.read, tmp_path / "log.csv", text)

    pressure, flow = documents(output, Kind.CURVE)
    assert (pressure["x"]["label"], pressure["x"]["unit"], pressure["y"]["unit"]) == ("Time", "s", "bar")
    assert pressure["series"][0]["points"] == flow["series"][0]["points"] == 9000
    assert pressure["series"][0]["x"][pressure["series"][0]["y"].index(99999)] == 5000
    assert max(flow["series"][0]["y"]) == 9998
    assert (output.run["rows"], output.run["columns"], output.run["analyst"]) == (9000, 3, "Jenny")
    assert output.warnings == ["The text is large: its first table is read, and nothing behind it."]


def test_moments_are_an_axis_and_tell_when_it_was_measured(tmp_path):
    lines = [f"2026-03-14 {n // 3600:02}:{n // 60 % 60:02}:{n % 60:02};{n},5" for n in range(7201)]

    output = read_here(reader.read, tmp_path / "log.csv", "Zeit;Druck (bar)\n" + "\n".join(lines) + "\n")

    curve = the(output, Kind.CURVE)
    assert (curve["x"]["label"], curve["x"]["unit"], curve["series"][0]["x"][-1]) == ("Elapsed time", "min", 120)
    assert curve["series"][0]["y"][-1] == 7200.5
    assert (output.run["measured_from"], output.run["measured_to"]) == ("2026-03-14T00:00:00Z", "2026-03-14T02:00:00Z")


def test_a_word_far_behind_the_first_rows_makes_its_column_text(tmp_path):
    output = read_here(reader.read, tmp_path / "log.csv", NAMES + rows_of(5000) + "5000,stuck,1\n5001,n.d.,1\n")

    table = the(output, Kind.TABLE)
    assert (table["total_rows"], len(table["rows"]), table["rows"][0]) == (5002, 5000, [0, "0", 0])
    assert output.warnings[1:] == ["Pressure (bar) holds words among its numbers, and is not drawn."]


def test_rows_of_another_width_are_left_out_and_counted(tmp_path):
    output = read_here(reader.read, tmp_path / "log.csv", NAMES + rows_of(5000) + "\nFoot,of\n1,2,3,4\n")

    assert output.run["rows"] == 5000
    assert output.warnings[1:] == ["2 rows have another number of cells, and are left out."]


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252", "utf-8-sig"])
def test_other_encodings_are_told_over_the_whole_text(tmp_path, encoding):
    text = ("Time (s),Length (µm)\r\n" + "".join(f"{n},{n}\r\n" for n in range(4000))).encode(encoding)

    output = read_here(reader.read, tmp_path / "log.csv", text)

    assert the(output, Kind.CURVE)["y"] == {"label": "Length", "unit": "µm"}
    assert output.run["rows"] == 4000


def test_columns_apart_by_blanks_stay_unread_with_the_reason(tmp_path):
    with pytest.raises(Unrecognised, match="columns apart by blanks"):
        read_here(generic.read, tmp_path / "log.txt", "\n".join(f"{n}  {n}  {n}" for n in range(4000)))


@pytest.mark.big
def test_a_gigabyte_of_rows_is_read_within_the_memory_of_a_small_one(tmp_path):
    block = rows_of(5000)
    (tmp_path / "small.csv").write_text(NAMES + block)
    with (tmp_path / "large.csv").open("w") as file:
        file.write("Pressure (bar),Time (s),Flow (mL/min)\n")
        while file.tell() < GIB:
            file.write(block)
    small = read_peak(GENERIC_TYPE, tmp_path / "small.csv")

    found = read_in_child(tmp_path / "large.csv")

    assert found.run["rows"] > 70_000_000
    assert read_peak(GENERIC_TYPE, tmp_path / "large.csv") < small + 200 * MIB


def test_every_row_of_a_large_text_is_in_its_dataset(tmp_path):
    output = read_here(reader.read, tmp_path / "log.csv", NAMES + rows_of(5000) + "5000,stuck,1\n5001,n.d.,1\n")

    (dataset,) = output.datasets
    blocks = list(dataset.blocks)
    assert [(column.name, column.unit) for column in dataset.columns] == [
        ("Time", "s"),
        ("Pressure", "bar"),
        ("Flow", "mL/min"),
    ]
    assert sum(len(block[0]) for block in blocks) == 5002
    assert bytes(blocks[0][0].data).startswith(b"0")
    assert b"stuck" in bytes(blocks[-1][1].data)
