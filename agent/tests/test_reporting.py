"""Runs that the service does not take hold up no others."""

from pathlib import Path

import pytest

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileState, Sighting
from instrument_watcher.reporting.runs import RunReporter
from instrument_watcher.service.errors import refusal

FULL = {
    "error": {
        "code": "CONFLICT",
        "message": "A run may have 2 files here; this one has 2.",
        "details": {"quota": "files_of_run", "limit": 2, "used": 2, "asked": 1},
    }
}


class OneFullRun:
    """A service that takes every run but one."""

    def __init__(self) -> None:
        self.taken: list[str] = []
        self.has_room = False

    def report_run(self, instrument_id: str, run: dict[str, object]) -> None:
        if run["run_id"] == "full" and not self.has_room:
            raise refusal(409, FULL)
        self.taken.append(str(run["run_id"]))


def test_a_run_without_room_is_left_and_the_others_go_on(journal: Journal, chronicle: Chronicle):
    files = [Found(f"{run}/a.csv", Sighting(1, 1), run_id=run) for run in ("full", "other")]
    journal.files.add_found(files)
    service = OneFullRun()
    reporter = RunReporter(Config("https://x", "reader", Path("/x")), journal, chronicle, service)  # type: ignore[arg-type]

    while reporter.report():
        pass

    left = journal.files.find("full/a.csv")
    assert service.taken == ["other"]
    assert left is not None
    assert (left.state, left.reason) == (FileState.REFUSED, FULL["error"]["message"])
    assert "Run full: A run may have 2 files here; this one has 2. 1 file left here." in [
        event.message for event in journal.events.batch()
    ]


def test_it_is_asked_again_each_hour_whether_there_is_room(
    journal: Journal, chronicle: Chronicle, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("instrument_watcher.reporting.runs.LOOK_AGAIN", 0.0)
    journal.files.add_found([Found("full/a.csv", Sighting(1, 1), run_id="full")])
    service = OneFullRun()
    reporter = RunReporter(Config("https://x", "reader", Path("/x")), journal, chronicle, service)  # type: ignore[arg-type]

    for service.has_room in (False, False, True):
        reporter.resume()
        while reporter.report():
            pass
    reporter.resume()

    assert service.taken == ["full"]
    assert len([event for event in journal.events.batch() if "left here" in event.message]) == 1
    left = journal.files.find("full/a.csv")
    assert left is not None
    assert left.state is FileState.REPORTED
