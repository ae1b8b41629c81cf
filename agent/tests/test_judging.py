"""What a complete file is to the journal."""

from pathlib import Path

import pytest

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config, GroupBy, Grouping
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState, Sighting
from instrument_watcher.watching.judging import Judge
from instrument_watcher.watching.scanning import sight


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "instrument"
    (folder / "R1").mkdir(parents=True)
    return folder


@pytest.fixture
def judge(root: Path, journal: Journal, chronicle: Chronicle) -> Judge:
    grouping = Grouping(GroupBy.TOP_FOLDER)
    return Judge(Config("https://x", "reader", root, run_grouping=grouping), journal, chronicle)


def see(root: Path, path: str) -> Sighting:
    sighting = sight(root, path)
    assert sighting is not None
    return sighting


def line(journal: Journal, row_id: int) -> FileRow:
    row = journal.files.get(row_id)
    assert row is not None
    return row


def known(root: Path, journal: Journal, judge: Judge, path: str, data: bytes = b"data") -> FileRow:
    """A file on disk and in the journal."""
    (root / path).write_bytes(data)
    found = judge.judge(path, see(root, path))
    assert found is not None
    journal.files.add_found([found])
    row = journal.files.find(path)
    assert row is not None
    return row


def uploaded(root: Path, journal: Journal, judge: Judge, path: str) -> FileRow:
    row = known(root, journal, judge, path)
    journal.files.mark_reported([row.id], wanted=True)
    journal.files.mark_uploaded(row, file_id=1, sha256="a" * 64)
    return row


def test_a_new_file_is_found_with_its_run(root: Path, judge: Judge):
    (root / "R1/a.csv").write_bytes(b"x")

    sighting = see(root, "R1/a.csv")

    assert judge.judge("R1/a.csv", sighting) == Found("R1/a.csv", sighting, run_id="R1")


def test_a_known_version_is_nothing_new(root: Path, journal: Journal, judge: Judge):
    row = known(root, journal, judge, "R1/a.csv")

    assert judge.judge("R1/a.csv", row.sighting) is None


def test_a_new_version_before_the_upload_is_found_again(root: Path, journal: Journal, judge: Judge):
    known(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").write_bytes(b"longer data")

    found = judge.judge("R1/a.csv", see(root, "R1/a.csv"))

    assert found is not None
    assert found.sighting.size == 11


def test_another_size_after_the_upload_is_told_and_not_sent(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").write_bytes(b"longer data")

    assert judge.judge("R1/a.csv", see(root, "R1/a.csv")) is None

    changed = line(journal, row.id)
    [event] = journal.events.batch()
    assert (changed.state, changed.sha256) == (FileState.CHANGED, "a" * 64)
    assert event.message == (
        "R1/a.csv: Changed after its upload (4 B, now 11 B). The service keeps the version it has."
    )


def test_another_time_after_the_upload_lets_the_service_compare(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")
    later = Sighting(row.sighting.size, row.sighting.mtime_ns + 1, row.sighting.inode)

    assert judge.judge("R1/a.csv", later) is None

    doubtful = line(journal, row.id)
    assert (doubtful.state, doubtful.wanted, doubtful.sighting) == (FileState.REPORTED, True, later)


def test_a_rename_after_the_upload_needs_nothing_more(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").rename(root / "R1/archived.csv")

    assert judge.judge("R1/archived.csv", see(root, "R1/archived.csv")) is None

    moved = line(journal, row.id)
    assert (moved.path, moved.state) == ("R1/archived.csv", FileState.UPLOADED)


def test_a_rename_before_the_report_leaves_only_the_new_name(root: Path, journal: Journal, judge: Judge):
    known(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").rename(root / "R1/b.csv")

    found = judge.judge("R1/b.csv", see(root, "R1/b.csv"))

    assert found is not None
    assert journal.files.find("R1/a.csv") is None


def test_a_rename_after_the_report_is_told_and_sent_under_the_new_name(root: Path, journal: Journal, judge: Judge):
    row = known(root, journal, judge, "R1/a.csv")
    journal.files.mark_reported([row.id], wanted=True)
    (root / "R1/a.csv").rename(root / "R1/b.csv")

    found = judge.judge("R1/b.csv", see(root, "R1/b.csv"))

    assert found is not None
    assert line(journal, row.id).state is FileState.GONE
    assert journal.events.batch()[0].event_type == "upload_failed"


def test_a_hard_link_is_a_file_of_its_own(root: Path, journal: Journal, judge: Judge):
    uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/b.csv").hardlink_to(root / "R1/a.csv")

    assert judge.judge("R1/b.csv", see(root, "R1/b.csv")) is not None


def test_a_dismissed_file_stays_dismissed_when_it_changes(root: Path, journal: Journal, judge: Judge):
    row = known(root, journal, judge, "R1/a.csv")
    journal.files.settle(row, FileState.DISMISSED)

    assert judge.judge("R1/a.csv", Sighting(99, 99)) is None
    assert line(journal, row.id).state is FileState.DISMISSED


def test_a_file_without_a_run_is_kept_with_the_reason(root: Path, journal: Journal, judge: Judge):
    row = known(root, journal, judge, "loose.csv")

    assert row.state is FileState.REFUSED
    assert row.reason == "It lies in no folder of its own, and folders are the runs."
