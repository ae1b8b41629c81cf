"""What a complete file is to the journal."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from agent.tests.judging import SHA256, found_anew, known, line, read, see, uploaded
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import Config, OnChange
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileState, Sighting
from instrument_watcher.reporting.recognising import Recogniser
from instrument_watcher.watching.judging import Judge


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


@pytest.mark.parametrize("data", [b"longer data", b"DATA"])
def test_another_version_after_the_upload_is_sent(root: Path, journal: Journal, judge: Judge, data: bytes):
    row = uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").write_bytes(data)
    os.utime(root / "R1/a.csv", (1, 1))

    assert judge.judge("R1/a.csv", see(root, "R1/a.csv")) is None

    changed = line(journal, row.id)
    assert (changed.state, changed.wanted, changed.sha256) == (FileState.REPORTED, True, None)
    assert changed.sighting == see(root, "R1/a.csv")


def test_another_file_of_the_same_size_and_time_is_read(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")

    judge.judge("R1/a.csv", replace(row.sighting, inode=row.sighting.inode + 1))

    assert (line(journal, row.id).state, line(journal, row.id).digest) == (FileState.REPORTED, None)


def test_a_file_system_that_tells_no_inodes_makes_no_other_files(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")

    judge.judge("R1/a.csv", replace(row.sighting, inode=0))

    assert line(journal, row.id).state is FileState.UPLOADED


def test_a_file_that_changes_all_day_gives_its_sixth_version_a_minute_later(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")
    for file_id in range(2, 6):
        journal.mark_uploaded(row, file_id=file_id, sha256=SHA256)
    began = time.monotonic()

    judge.judge("R1/a.csv", Sighting(99, 99))
    judge.judge("R1/a.csv", Sighting(100, 100))

    assert journal.queue.next_upload(now=began + 59, besides=()) is None
    assert journal.queue.next_upload(now=time.monotonic() + 121, besides=()) is not None


def test_another_size_after_the_upload_is_told_and_not_sent_where_changes_are_ignored(
    root: Path, journal: Journal, config: Config, chronicle: Chronicle
):
    judge = Judge(replace(config, on_change=OnChange.IGNORE), journal, chronicle)
    row = uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").write_bytes(b"longer data")

    assert judge.judge("R1/a.csv", see(root, "R1/a.csv")) is None

    changed = line(journal, row.id)
    [event] = journal.events.batch()
    assert (changed.state, changed.sha256) == (FileState.CHANGED, SHA256)
    assert event.message == (
        "R1/a.csv: Changed after its upload (4 B, now 11 B). The service keeps the version it has."
    )


def test_a_rename_after_the_upload_needs_nothing_more(root: Path, journal: Journal, judge: Judge):
    uploaded(root, journal, judge, "R1/a.csv")
    recogniser = Recogniser(root, journal)
    (root / "R1/a.csv").rename(root / "R1/archived.csv")

    row = found_anew(root, journal, judge, "R1/archived.csv")
    assert recogniser.unknown([row]) == []
    assert line(journal, row.id).state is FileState.COMPARING
    assert recogniser.unknown([read(journal, row, SHA256)]) == []

    moved = line(journal, row.id)
    assert (moved.path, moved.state, moved.file_id) == ("R1/archived.csv", FileState.UPLOADED, 1)
    assert journal.files.find("R1/a.csv") is None


def test_a_file_that_only_looks_like_an_uploaded_one_is_reported(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")
    recogniser = Recogniser(root, journal)
    (root / "R1/a.csv").rename(root / "R1/b.csv")

    other = found_anew(root, journal, judge, "R1/b.csv")
    recogniser.unknown([other])
    other = read(journal, other, "b" * 64)

    assert recogniser.unknown([other]) == [other]
    assert line(journal, row.id).state is FileState.UPLOADED


def test_a_rename_before_the_report_leaves_only_the_new_name(root: Path, journal: Journal, judge: Judge):
    known(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").rename(root / "R1/b.csv")

    found = judge.judge("R1/b.csv", see(root, "R1/b.csv"))

    assert found is not None
    assert journal.files.find("R1/a.csv") is None


def test_a_file_that_is_renamed_while_its_old_name_is_reported_is_still_to_be_reported(
    root: Path, journal: Journal, judge: Judge
):
    known(root, journal, judge, "R1/a.csv")
    under_way = journal.queue.to_report(limit=500)
    (root / "R1/a.csv").rename(root / "R1/b.csv")
    row = found_anew(root, journal, judge, "R1/b.csv")

    journal.files.mark_reported(under_way, wanted=False)

    assert journal.queue.to_report(limit=500) == [row]


def test_a_file_that_is_renamed_while_its_old_name_is_read_has_not_vanished(root: Path, journal: Journal, judge: Judge):
    under_way = known(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").rename(root / "R1/b.csv")
    row = found_anew(root, journal, judge, "R1/b.csv")

    journal.files.settle(under_way, FileState.GONE, reason="It vanished before it was uploaded.")

    assert line(journal, row.id).state is FileState.FOUND


def test_a_rename_after_the_report_is_told_and_sent_under_the_new_name(root: Path, journal: Journal, judge: Judge):
    row = known(root, journal, judge, "R1/a.csv")
    journal.files.mark_reported([row], wanted=True)
    (root / "R1/a.csv").rename(root / "R1/b.csv")

    found = judge.judge("R1/b.csv", see(root, "R1/b.csv"))

    assert found is not None
    assert line(journal, row.id).state is FileState.GONE
    assert journal.events.batch()[0].event_type == "upload_failed"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell the two apart")
def test_hard_links_whose_names_differ_in_case_alone_are_two_files(root: Path, journal: Journal, judge: Judge):
    uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/A.csv").hardlink_to(root / "R1/a.csv")

    assert judge.judge("R1/A.csv", see(root, "R1/A.csv")) is not None


def test_a_hard_link_is_a_file_of_its_own(root: Path, journal: Journal, judge: Judge):
    uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/b.csv").hardlink_to(root / "R1/a.csv")

    row = found_anew(root, journal, judge, "R1/b.csv")

    assert Recogniser(root, journal).unknown([row]) == [row]


def test_a_dismissed_file_stays_dismissed_when_it_changes(root: Path, journal: Journal, judge: Judge):
    row = known(root, journal, judge, "R1/a.csv")
    journal.files.settle(row, FileState.DISMISSED)

    assert judge.judge("R1/a.csv", Sighting(99, 99)) is None
    assert line(journal, row.id).state is FileState.DISMISSED


@pytest.mark.parametrize("later", [Sighting(99, 99), None], ids=["changed", "touched"])
def test_what_comes_after_a_dismissed_version_is_sent(
    root: Path, journal: Journal, judge: Judge, later: Sighting | None
):
    row = uploaded(root, journal, judge, "R1/a.csv")
    journal.files.send_again(row, Sighting(9, 9, 9, 9))
    row = line(journal, row.id)
    journal.files.settle(row, FileState.DISMISSED)

    judge.judge("R1/a.csv", later or replace(row.sighting, ctime_ns=10))

    assert (line(journal, row.id).state, line(journal, row.id).wanted) == (FileState.REPORTED, True)


def test_a_file_without_a_run_is_kept_with_the_reason(root: Path, journal: Journal, judge: Judge):
    row = known(root, journal, judge, "loose.csv")

    assert row.state is FileState.REFUSED
    assert row.reason == "It lies in no folder of its own, and folders are the runs."


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("R1/invoice\u202egpj.exe", "Its name holds characters that turn the direction of text. Rename it."),
        ("R1/ ", "Its name is blank. Rename it."),
        ("R1/a\x07.csv", "Its name holds control characters. Rename it."),
    ],
    ids=["bidirectional", "blank", "control"],
)
def test_a_file_that_the_service_would_refuse_stays_with_the_reason(journal: Journal, judge: Judge, path, reason):
    found = judge.judge(path, Sighting(1, 1))

    assert found is not None
    assert (found.run_id, found.reason) == (None, reason)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell when a file was last changed in any way")
def test_what_was_touched_after_its_upload_is_compared_once_nothing_else_waits(
    root: Path, journal: Journal, judge: Judge
):
    row = uploaded(root, journal, judge, "R1/a.csv")
    (root / "R1/a.csv").chmod(0o600)

    judge.judge("R1/a.csv", see(root, "R1/a.csv"))

    assert line(journal, row.id).state is FileState.UPLOADED
    taken = journal.queue.next_upload(now=time.monotonic(), besides=())
    assert taken is not None
    assert (taken.id, taken.state) == (row.id, FileState.UPLOADED)
    other = known(root, journal, judge, "R1/b.csv")
    journal.files.mark_reported([other], wanted=True)
    first = journal.queue.next_upload(now=time.monotonic(), besides=())
    assert first is not None
    assert first.id == other.id


def test_a_file_system_that_tells_no_touches_makes_nothing_to_compare(root: Path, journal: Journal, judge: Judge):
    row = uploaded(root, journal, judge, "R1/a.csv")

    judge.judge("R1/a.csv", replace(row.sighting, ctime_ns=0))

    assert journal.queue.next_upload(now=time.monotonic(), besides=()) is None
