"""Flow Cytometry Standard: the text segment, and headers that lead nowhere."""

from contextlib import suppress

import numpy as np
import pytest

from processing.processors.fcs import read
from processing.readings import Kind, Unreadable
from tests.processing.here import documents, read_here, the
from tests.samples.instruments import fcs

KEYWORDS = {
    "$TOT": "1589", "$PAR": "2", "$CYT": "Accuri C6", "$DATATYPE": "I", "$DATE": "19-FEB-2019", "$BTIM": "21:28:25.56",
    "$ETIM": "21:30:00", "$P1N": "FSC-A", "$P2N": "FL1-A", "$P2S": "CD3/FITC", "$OP": "",
}  # fmt: skip


def test_channels_events_and_times_are_read(tmp_path):
    output = read_here(read, tmp_path / "tube.fcs", fcs(KEYWORDS), zone="Europe/Berlin")

    assert (output.run["events"], output.run["parameters"], output.run["format"]) == (1589, 2, "FCS3.1")
    assert (output.run["cytometer"], output.run["date"], output.run["begin"]) == (
        "Accuri C6",
        "19-FEB-2019",
        "21:28:25.56",
    )
    assert "analyst" not in output.run
    assert output.file == {"channels": ["FSC-A", "FL1-A"], "assumed_time_zone": "Europe/Berlin"}
    assert output.acquired_at.isoformat() == "2019-02-19T20:28:25+00:00"


def test_events_of_a_file_that_does_not_count_them_are_counted(tmp_path):
    said = {key: value for key, value in keywords_for(3).items() if key != "$TOT"}

    output = read_here(read, tmp_path / "tube.fcs", fcs(said, events=np.zeros((3, 2), "<f4").tobytes()))

    assert output.run["events"] == 3


def test_a_doubled_delimiter_stands_for_itself(tmp_path):
    keywords = {key: value or "Ann" for key, value in KEYWORDS.items()}

    table = the(read_here(read, tmp_path / "tube.fcs", fcs(keywords)), Kind.TABLE)

    assert table["rows"] == [[1, "FSC-A", ""], [2, "FL1-A", "CD3/FITC"]]


@pytest.mark.parametrize(
    ("begin", "end", "reason"),
    [
        (b"      58", b"99999999", "impossible length"),
        (b"      58", b"   99999", "ends within its text"),
        (b"     abc", b"     100", "does not say where"),
        (b"     100", b"      58", "impossible length"),
    ],
)
def test_a_header_that_leads_nowhere_is_refused(begin, end, reason, tmp_path):
    data = fcs(KEYWORDS)

    with pytest.raises(Unreadable, match=reason):
        read_here(read, tmp_path / "tube.fcs", data[:10] + begin + end + data[26:])


def test_something_else_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="does not begin as FCS does"):
        read_here(read, tmp_path / "tube.fcs", "FCS")


def keywords_for(count, **more):
    first = {"$P1N": "FSC-A", "$P1B": "32", "$P1R": "262144", "$P1E": "0,0"}
    second = {"$P2N": "FL1-A", "$P2S": "GFP", "$P2B": "32", "$P2R": "262144", "$P2E": "0,0"}
    data = {"$TOT": str(count), "$PAR": "2", "$MODE": "L", "$DATATYPE": "F", "$BYTEORD": "1,2,3,4"}
    return {**data, **first, **second, **more}


UNSTATED = {"$BEGINDATA": "0" * 8, "$ENDDATA": "0" * 8}


def with_stated_places(data):
    """The text says of the events what the header says."""
    for keyword, place in ((b"$BEGINDATA/", 26), (b"$ENDDATA/", 34)):
        data = data.replace(keyword + b"0" * 8, keyword + data[place : place + 8].strip().zfill(8))
    return data


VALUES = np.array([[place + 1, 10 ** (place % 4)] for place in range(400)], dtype=np.float64)


@pytest.mark.parametrize("version", ["2.0", "3.0", "3.1", "3.2"])
@pytest.mark.parametrize(("kind", "stored"), [("F", "<f4"), ("D", "<f8"), ("I", "<u4"), ("I", ">u4")])
def test_the_spread_of_every_channel_is_a_curve(version, kind, stored, tmp_path):
    order = {"<": "1,2,3,4", ">": "4,3,2,1"}[stored[0]]
    said = keywords_for(400, **{"$DATATYPE": kind, "$BYTEORD": order})

    output = read_here(read, tmp_path / "a.fcs", fcs(said, version=version, events=VALUES.astype(stored).tobytes()))

    scatter, fluorescence = documents(output, Kind.CURVE)
    assert (scatter["series"][0]["label"], fluorescence["series"][0]["label"]) == ("FSC-A", "GFP")
    assert fluorescence["x"] == {"label": "Intensity", "unit": None, "log": True}
    assert sum(scatter["series"][0]["y"]) == sum(fluorescence["series"][0]["y"]) == 400


def test_channels_of_a_logarithmic_amplifier_are_decades(tmp_path):
    said = keywords_for(2, **{"$DATATYPE": "I", "$P1B": "16", "$P2B": "16", "$P2R": "1024", "$P2E": "4,1"})
    events = np.array([[1, 0], [2, 768]], dtype="<u2").tobytes()

    output = read_here(read, tmp_path / "a.fcs", fcs(said, events=events))

    places = documents(output, Kind.CURVE)[1]["series"][0]["x"]
    assert (places[0], places[-1]) == (pytest.approx(1, rel=0.2), pytest.approx(1000, rel=0.2))


@pytest.mark.parametrize("keyword", ["$TOT", "$P1B", "$P1R", "$P1E"])
@pytest.mark.parametrize("value", ["-1", "inf", "nan", "1e300", "9" * 400, "x"])
def test_numbers_that_mean_nothing_are_no_crash(keyword, value, tmp_path):
    said = keywords_for(400, **{"$DATATYPE": "I"}) | {keyword: value}

    with suppress(Unreadable):
        output = read_here(read, tmp_path / "a.fcs", fcs(said, events=VALUES.astype("<u4").tobytes()))

        assert output.run["parameters"] == 2


@pytest.mark.parametrize("wrong", [b"     100", b"99999999"])
@pytest.mark.parametrize("place", [26, 34])
def test_where_header_and_text_disagree_the_events_lie_where_all_of_them_fit(wrong, place, tmp_path):
    data = with_stated_places(fcs(keywords_for(400, **UNSTATED), events=VALUES.astype("<f4").tobytes()))

    right = read_here(read, tmp_path / "a.fcs", data)
    output = read_here(read, tmp_path / "b.fcs", data[:place] + wrong + data[place + 8 :])

    assert documents(output, Kind.CURVE) == documents(right, Kind.CURVE)


def test_a_file_that_ends_within_its_events_is_refused(tmp_path):
    data = fcs(keywords_for(400), events=VALUES.astype("<f4").tobytes())

    with pytest.raises(Unreadable, match="ends within its events"):
        read_here(read, tmp_path / "a.fcs", data[:-100])


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ({"$BEGINDATETIME": "2026-03-14T09:26:53+01:00"}, "2026-03-14T08:26:53+00:00"),
        ({"$DATE": "2026/03/14", "$BTIM": "09:26:53:30"}, "2026-03-14T09:26:53+00:00"),
        ({"$DATE": "14-Mar-26", "$BTIM": "9:26:53 PM"}, "2026-03-14T21:26:53+00:00"),
        ({"$DATE": "02/03/2026", "$BTIM": "9:26:53"}, "None"),  # of March, or of February
    ],
)
def test_times_are_read_in_the_spellings_that_can_mean_one_thing(said, at, tmp_path):
    output = read_here(read, tmp_path / "a.fcs", fcs({"$PAR": "0"} | said))

    assert (output.acquired_at.isoformat() if output.acquired_at else "None") == at


def test_the_table_of_channels_says_what_the_events_are(tmp_path):
    output = read_here(
        read, tmp_path / "a.fcs", fcs(keywords_for(400, **{"$P2N": "FSC-A"}), events=VALUES.astype("<f4").tobytes())
    )

    assert the(output, Kind.TABLE)["rows"][0] == [1, "FSC-A", "", 1, 400, 200.5]
    assert output.file["first_event"] == [1, 1]
    assert output.warnings == ["Several channels have the same name: FSC-A."]


def test_events_of_several_widths_stand_where_their_widths_put_them(tmp_path):
    said = keywords_for(2, **{"$DATATYPE": "I", "$P1B": "16", "$P1R": "65536", "$P2B": "32", "$P2R": "1048576"})
    events = np.array([(49135, 61373), (7, 900_000)], dtype="<u2,<u4").tobytes()

    output = read_here(read, tmp_path / "a.fcs", fcs(said, events=events))

    assert output.file["first_event"] == [49135, 61373]
    assert output.file["channel_means"] == [24571, 480686.5]


@pytest.mark.parametrize(
    ("keyword", "value", "said"),
    [("$NEXTDATA", "4711", "Further data sets"), ("$MODE", "C", "none of them was read"), ("$P1B", "12", "none")],
)
def test_what_is_left_out_of_the_events_is_said(keyword, value, said, tmp_path):
    keywords = keywords_for(400, **{"$DATATYPE": "I"}) | {keyword: value}

    output = read_here(read, tmp_path / "a.fcs", fcs(keywords, events=VALUES.astype("<u4").tobytes()))

    assert any(said in warning for warning in output.warnings)


COUNTED = {f"$P{number}{letter}": value for number, name in enumerate(["FSC-A", "FL1-A", "Time"], start=1)
           for letter, value in {"N": name, "B": "32", "R": "1024", "E": "0,0"}.items()}  # fmt: skip
COUNTED |= {"$TOT": "300", "$PAR": "3", "$MODE": "L", "$DATATYPE": "I", "$BYTEORD": "1,2,3,4"}
COUNTS = np.array([[500 + place % 7, 100 + place % 5, 3 * place + 1] for place in range(300)], dtype="<u4")


def strays_of(folder, counts, **more):
    output = read_here(read, folder / "tube.fcs", fcs({**COUNTED, **more}, events=counts.tobytes()))
    return [warning for warning in output.warnings if "cannot" in warning]


@pytest.mark.parametrize(
    ("event", "channel", "value"), [(9, 0, 1 << 20), (40, 2, 3), (40, 2, 900), (299, 2, 5), (77, slice(0, 3), 0)]
)
def test_events_that_no_cytometer_writes_are_told(tmp_path, event, channel, value):
    damaged = COUNTS.copy()
    damaged[event, channel] = value

    assert strays_of(tmp_path, COUNTS) == []
    assert strays_of(tmp_path, damaged) == [
        "1 events hold numbers that their channels cannot: the file may be damaged."
    ]


@pytest.mark.parametrize("number", [1e12, -1e12, 1e-16])
def test_events_beyond_all_measuring_are_told(tmp_path, number):
    damaged = COUNTS.astype("<f4")
    damaged[100, 1] = number

    assert len(strays_of(tmp_path, damaged, **{"$DATATYPE": "F"})) == 1
    assert strays_of(tmp_path, COUNTS.astype("<f4"), **{"$DATATYPE": "F"}) == []


def test_a_clock_that_starts_anew_and_flags_above_the_range_are_habits(tmp_path):
    anew, flagged = COUNTS.copy(), COUNTS.copy()
    anew[150:, 2] -= 450
    flagged[:, 0] += 1 << 14

    assert strays_of(tmp_path, anew) == []
    assert strays_of(tmp_path, flagged) == []


def test_a_hole_in_the_text_is_told(tmp_path):
    whole = fcs({**KEYWORDS, "$P2S": "CD3 of the first tube"})
    holed = whole.replace(b"of the first", b"\0" * 12)

    assert "Its keywords hold characters" not in str(read_here(read, tmp_path / "a.fcs", whole).warnings)
    assert "Its keywords hold characters" in str(read_here(read, tmp_path / "b.fcs", holed).warnings)


@pytest.mark.parametrize(("order", "stated"), [("little", "1,2,3,4"), ("big", "4,3,2,1")])
def test_integers_of_three_bytes_are_read(order, stated, tmp_path):
    said = keywords_for(2, **{"$DATATYPE": "I", "$BYTEORD": stated, "$P1B": "24", "$P2B": "24"})
    events = b"".join(number.to_bytes(3, order) for number in (70_000, 3, 200_001, 5))

    output = read_here(read, tmp_path / "a.fcs", fcs(said, events=events))

    assert output.file["first_event"] == [70_000, 3]
    assert output.file["channel_means"] == [135_000.5, 4]


def test_a_lost_delimiter_between_keywords_is_told(tmp_path):
    whole = fcs(COUNTED, events=COUNTS.tobytes())

    output = read_here(read, tmp_path / "a.fcs", whole.replace(b"/$MODE/", b"?$MODE/"))

    assert any("its text may be damaged" in said for said in output.warnings)
    assert not read_here(read, tmp_path / "b.fcs", whole).warnings
