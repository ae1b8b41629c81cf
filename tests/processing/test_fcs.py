"""Flow Cytometry Standard: the text segment, and headers that lead nowhere."""

import pytest

from processing.processors.fcs import read
from processing.readings import Kind, Unreadable
from tests.processing.here import read_here, the
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
