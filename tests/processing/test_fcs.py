"""Flow Cytometry Standard: the text segment, and headers that lead nowhere."""

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
