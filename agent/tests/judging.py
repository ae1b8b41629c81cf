"""Files as a judge sees them, and as the journal has them, for its tests."""

import sys
from pathlib import Path

from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import Digest, FileRow, Sighting
from instrument_watcher.watching.judging import Judge
from instrument_watcher.watching.scanning import sight

SHA256 = "a" * 64


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
    let_clock_tick(root, path)
    return row


def let_clock_tick(root: Path, path: str) -> None:
    """From here on a change of the file shows in its time: kernels before 6.13 tell times of files by the tick."""
    seen, probe = (root / path).stat().st_ctime_ns, root.with_name("tick")
    probe.touch()
    while sys.platform != "win32" and probe.stat().st_ctime_ns <= seen:
        probe.touch()


def uploaded(root: Path, journal: Journal, judge: Judge, path: str) -> FileRow:
    row = known(root, journal, judge, path)
    journal.files.mark_reported([row], wanted=True)
    journal.mark_uploaded(row, file_id=1, sha256=SHA256)
    return row


def found_anew(root: Path, journal: Journal, judge: Judge, path: str) -> FileRow:
    found = judge.judge(path, see(root, path))
    assert found is not None
    journal.files.add_found([found])
    row = journal.files.find(path)
    assert row is not None
    return row


def read(journal: Journal, row: FileRow, sha256: str) -> FileRow:
    """Its line once its bytes were read."""
    journal.files.mark_hashed(row, Digest(sha256, "0badcafe", (1,)))
    journal.files.mark_compared(row)
    return line(journal, row.id)
