"""What the journal remembers, and of which version of a file."""

import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from instrument_watcher.journal.database import JournalUnreadable
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal, Owner, open_journal
from instrument_watcher.journal.rows import Digest, FileRow, FileState, Sighting

FIRST, SECOND = Sighting(10, 1_000, 7), Sighting(10, 2_000, 7)
DIGEST = Digest("a" * 64, "0badcafe", (1, 2**32 - 1))


def enter(journal: Journal, path: str = "R1/a.csv", sighting: Sighting = FIRST) -> FileRow:
    journal.files.add_found([Found(path, sighting, run_id="R1")])
    row = journal.files.find(path)
    assert row is not None
    return row


def report(journal: Journal, row: FileRow, *, wanted: bool = True) -> None:
    journal.files.mark_reported([row], wanted=wanted)


def line(journal: Journal, row_id: int) -> FileRow:
    row = journal.files.get(row_id)
    assert row is not None
    return row


def taken(journal: Journal) -> int | None:
    """The id of what would be uploaded next."""
    row = journal.queue.next_upload(now=1e12, besides=())
    return None if row is None else row.id


def test_a_digest_is_kept_so_that_a_restart_reads_nothing_again(journal: Journal):
    row = enter(journal)
    report(journal, row)

    journal.files.mark_hashed(row, DIGEST)

    assert line(journal, row.id).digest == DIGEST


def test_a_digest_of_an_old_version_is_not_kept(journal: Journal):
    old = enter(journal)
    enter(journal, sighting=SECOND)

    journal.files.mark_hashed(old, DIGEST)

    assert line(journal, old.id).digest is None


def test_a_new_version_before_the_upload_begins_from_the_start(journal: Journal):
    row = enter(journal)
    report(journal, row)
    journal.files.mark_hashed(row, DIGEST)
    journal.files.mark_ticketed(row.id, file_id=5, upload_id="first")
    journal.files.mark_part(row.id, number=1, etag="e1")

    again = enter(journal, sighting=SECOND)
    journal.files.mark_ticketed(row.id, file_id=5, upload_id="second")

    assert (again.id, again.state, again.digest, again.upload_id) == (row.id, FileState.FOUND, None, None)
    assert journal.files.parts(row.id) == {}


def test_parts_of_the_same_upload_outlast_a_second_ticket(journal: Journal):
    row = enter(journal)
    journal.files.mark_ticketed(row.id, file_id=5, upload_id="first")
    journal.files.mark_part(row.id, number=2, etag="e2")

    journal.files.mark_ticketed(row.id, file_id=5, upload_id="first")

    assert journal.files.parts(row.id) == {2: "e2"}


def test_what_is_told_of_a_line_that_is_gone_meets_no_other(journal: Journal):
    """Its file was renamed, say, while it was sent: SQLite would give its number to the line of the new name."""
    gone = enter(journal, "R1/a.csv")
    journal.files.remove(gone)
    other = enter(journal, "R1/b.csv")

    journal.files.mark_part(gone.id, number=1, etag="e1")
    journal.files.mark_ticketed(gone.id, file_id=5, upload_id="first")
    journal.files.mark_uploaded(gone, file_id=5, sha256="ab" * 32, uploaded_at="2026-01-01T00:00:00Z")

    assert journal.files.find("R1/b.csv") == other
    assert journal.files.parts(other.id) == {}


def test_an_upload_counts_for_the_version_that_was_sent(journal: Journal):
    sent = enter(journal)
    enter(journal, sighting=SECOND)

    journal.mark_uploaded(sent, file_id=5, sha256="a" * 64)

    row = line(journal, sent.id)
    assert (row.state, row.sighting) == (FileState.UPLOADED, FIRST)


def test_reported_files_wait_for_a_request_unless_all_are_wanted(journal: Journal):
    row = enter(journal)
    report(journal, row, wanted=False)
    assert taken(journal) is None

    journal.files.want(row.id)

    assert taken(journal) == row.id


def test_a_stopped_run_gives_nothing_to_upload_until_it_is_resumed(journal: Journal):
    row = enter(journal)
    report(journal, row)

    assert journal.stop_run("R1", reason="deleted") == 1
    assert (taken(journal), journal.runs.stopped()) == (None, {"R1": "deleted"})

    assert journal.resume_run("R1") == 1
    assert (journal.queue.to_report(limit=9)[0].id, journal.runs.stopped()) == (row.id, {})


def test_one_report_holds_one_run(journal: Journal):
    journal.files.add_found([Found(f"{run}/{name}", FIRST, run_id=run) for name in "ab" for run in ("R1", "R2")])

    assert [row.path for row in journal.queue.to_report(limit=9)] == ["R1/a", "R1/b"]


def test_a_postponed_file_lets_others_go_first(journal: Journal):
    first, second = enter(journal, "R1/a"), enter(journal, "R1/b")
    report(journal, first)
    report(journal, second)

    journal.queue.postpone(first.id, until=2e12, reason="the store is full")

    assert taken(journal) == second.id
    assert journal.queue.next_attempt_at(besides=[second.id]) == 2e12


def test_what_was_written_survives_kill_9(tmp_path: Path):
    script = """
        import psutil, sys
        from pathlib import Path
        from instrument_watcher.journal.files import Found
        from instrument_watcher.journal.journal import Journal
        from instrument_watcher.journal.rows import Sighting
        journal = Journal(Path(sys.argv[1]))
        journal.files.add_found([Found(f"R1/{number}", Sighting(1, 1), run_id="R1") for number in range(1000)])
        with journal.transaction():
            journal.files.add_found([Found("R1/half-way", Sighting(1, 1), run_id="R1")])
            psutil.Process().kill()
    """
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    place = tmp_path / "journal.sqlite3"

    subprocess.run([sys.executable, "-c", textwrap.dedent(script), place], env=environ, check=False)

    journal = Journal(place)
    assert journal.overview.summary() == {FileState.FOUND: (1000, 1000)}
    assert journal.files.find("R1/half-way") is None
    journal.close()


def test_the_journal_of_another_instrument_is_set_aside(tmp_path: Path):
    place = tmp_path / "journal.sqlite3"
    first = open_journal(place, Owner("https://x", "one"))
    enter(first)
    first.close()

    second = open_journal(place, Owner("https://x", "two"))
    kept = list(tmp_path.glob("journal-one-*.sqlite3"))

    assert second.files.find("R1/a.csv") is None
    assert len(kept) == 1
    second.close()


def test_a_service_that_moved_is_the_same_and_another_one_is_not(tmp_path: Path):
    place = tmp_path / "journal.sqlite3"
    first = open_journal(place, Owner("http://x", "one", "watcher"))
    enter(first)
    first.close()

    moved = open_journal(place, Owner("https://y", "one", "watcher"))
    has_moved_along = moved.files.find("R1/a.csv") is not None
    moved.close()
    other = open_journal(place, Owner("https://z", "one", "another watcher"))

    assert has_moved_along
    assert other.files.find("R1/a.csv") is None
    other.close()


def test_a_file_that_is_no_journal_says_what_to_do(tmp_path: Path):
    place = tmp_path / "journal.sqlite3"
    place.write_bytes(b"not a database, and long enough to be looked at" * 100)

    with pytest.raises(JournalUnreadable) as caught:
        Journal(place)

    assert caught.value.remedy.startswith("Move the file away")


def test_a_journal_that_another_process_is_making_is_waited_for(tmp_path: Path):
    other = sqlite3.connect(tmp_path / "journal.sqlite3", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    other.execute("CREATE TABLE first_steps (done)")
    made = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
    made.start()

    journal = Journal(tmp_path / "journal.sqlite3")

    made.join()
    other.close()
    enter(journal)
    journal.close()


def test_the_number_of_a_line_that_was_there_at_the_start_is_given_to_no_other(journal: Journal, tmp_path: Path):
    enter(journal)
    again = Journal(tmp_path / "journal.sqlite3")
    old = line(again, enter(again, "R1/b.csv").id)
    again.close()
    again = Journal(tmp_path / "journal.sqlite3")

    again.files.remove(old)  # it was renamed while the reporter had it in hand
    new = enter(again, "R2/b.csv")
    again.files.mark_reported([old], wanted=False)

    assert line(again, new.id).state is FileState.FOUND
    again.close()


@pytest.mark.parametrize(
    ("path", "is_taken"),
    [("R1/a~2.csv", True), ("R1/a~3.csv", True), ("R1/b~2.csv", False), ("R1/a~x.csv", False), ("R1/c~2.csv", False)],
)
def test_a_name_such_as_the_service_gives_to_versions_counts_as_taken(journal: Journal, path: str, is_taken: bool):
    for file_id, place in enumerate(("R1/a.csv", "R1/a.csv", "R1/c.csv"), start=1):
        journal.mark_uploaded(enter(journal, place), file_id=file_id, sha256="a" * 64)

    assert journal.stored.is_name_taken(path) is is_taken
