"""A clock that is corrected while files wait: no wait is longer than it would have been."""

from pathlib import Path

import pytest

from agent.tests.lab import Lab, wait_until
from agent.tests.way import Way

MONTH = 30 * 86_400


@pytest.mark.parametrize("correction", [-MONTH, MONTH])
def test_files_that_waited_out_an_outage_are_sent_after_the_clock_was_corrected(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, correction: int
):
    shift = tmp_path / "shift"
    monkeypatch.setenv("CLOCK_SHIFT", str(shift))
    lab.program = [str(Path(__file__).with_name("shifted.py"))]
    lab.init()
    with Way(lab.url) as way:
        lab.set(server=way.url, bandwidth_limit_mib=0.02)
        lab.write("R1/a.csv", bytes(1_000_000))  # which takes most of a minute
        lab.start()
        wait_until(lambda: lab.states() == {"R1/a.csv": "reported"})
        way.cut()
        wait_until(lambda: lab.journal()["R1/a.csv"]["next_attempt"] > 0, what="it is put off")

        shift.write_text(str(correction))
        lab.set(bandwidth_limit_mib=None)
        way.mend()

        assert ("R1", "R1/a.csv") in lab.wait_stored(1)
        assert lab.stop() == 0
