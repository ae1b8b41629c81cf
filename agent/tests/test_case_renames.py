"""Names that change in case alone, where the file system takes them for the same."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agent.tests.judging import SHA256, found_anew, known, read, uploaded
from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileState
from instrument_watcher.platforms import paths
from instrument_watcher.reporting.recognising import Recogniser
from instrument_watcher.reporting.requests import UploadRequests
from instrument_watcher.service.api import QueuedFile
from instrument_watcher.watching.folder import FolderWatch
from instrument_watcher.watching.judging import Judge


@pytest.fixture
def any_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are found however they are spelled, as on Windows."""

    def place_in_any_case(root: Path, path: str) -> str:
        found = root
        for name in filter(None, path.split("/")):
            there = {entry.name.casefold(): entry.name for entry in found.iterdir()} if found.is_dir() else {}
            found /= there.get(name.casefold(), name)
        return str(found)

    def listed_name(root: Path, path: str) -> str:
        return Path(place_in_any_case(root, path)).relative_to(root).as_posix()

    if sys.platform != "win32":
        monkeypatch.setattr(paths, "place", place_in_any_case)
        monkeypatch.setattr(paths, "listed_name", listed_name)


@pytest.mark.parametrize("name", ["R1/A.CSV", "r1/a.csv"])
@pytest.mark.usefixtures("any_case")
def test_a_rename_that_changes_case_alone_is_neither_a_new_file_nor_a_version(
    root: Path, journal: Journal, judge: Judge, name: str
):
    uploaded(root, journal, judge, "R1/a.csv")
    recogniser = Recogniser(root, journal)
    rename_in_case(root, name)

    row = found_anew(root, journal, judge, name)
    assert recogniser.unknown([row]) == []
    assert recogniser.unknown([read(journal, row, SHA256)]) == []

    [moved] = journal.files.below("")
    assert (moved.path, moved.state, moved.file_id) == (name, FileState.UPLOADED, 1)


@pytest.mark.usefixtures("any_case")
def test_bytes_that_changed_with_the_case_of_the_name_are_reported(root: Path, journal: Journal, judge: Judge):
    uploaded(root, journal, judge, "R1/a.csv")
    recogniser = Recogniser(root, journal)
    rename_in_case(root, "R1/A.CSV")

    row = found_anew(root, journal, judge, "R1/A.CSV")
    recogniser.unknown([row])
    row = read(journal, row, "b" * 64)

    assert recogniser.unknown([row]) == [row]


@pytest.mark.usefixtures("any_case")
def test_a_rename_in_case_before_the_report_leaves_only_the_new_name(root: Path, journal: Journal, judge: Judge):
    known(root, journal, judge, "R1/a.csv")
    rename_in_case(root, "R1/A.csv")

    row = found_anew(root, journal, judge, "R1/A.csv")

    assert list(journal.files.below("")) == [row]


@pytest.mark.usefixtures("any_case")
def test_a_rename_in_case_while_the_file_settles_leaves_only_the_new_name(
    root: Path, journal: Journal, config: Config, chronicle: Chronicle
):
    (root / "R1/a.csv").write_bytes(b"data")
    watch = FolderWatch(config, journal, chronicle, Activity(), found=lambda: None)
    watch.rescan()
    rename_in_case(root, "R1/A.csv")
    watch.rescan()

    watch.enter_complete(settled=False)

    watch._observation.end()
    assert [row.path for row in journal.files.below("")] == ["R1/A.csv"]


@pytest.mark.usefixtures("any_case")
def test_what_is_asked_for_by_another_spelling_is_not_sent_once_more(
    root: Path, journal: Journal, judge: Judge, chronicle: Chronicle
):
    uploaded(root, journal, judge, "R1/a.csv")
    asked = QueuedFile(7, "R1", "R1/A.csv")
    given_up: list[int] = []
    service: Any = SimpleNamespace(upload_queue=lambda watcher_id: [asked], give_up_upload=given_up.append)

    UploadRequests(root, "w1", journal, chronicle, service).take()

    assert [row.path for row in journal.files.below("")] == ["R1/a.csv"]
    assert given_up == [7]


def rename_in_case(root: Path, name: str) -> None:
    """R1/a.csv as another spelling of itself."""
    folder, _, file = name.partition("/")
    (root / "R1/a.csv").rename(root / "R1/between").rename(root / "R1" / file)
    (root / "R1").rename(root / "between").rename(root / folder)
