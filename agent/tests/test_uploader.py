"""One upload that does not succeed: what becomes of its line in the journal."""

import hashlib
import os
import threading
from pathlib import Path
from typing import cast

import pytest

from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import OnChange
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import Digest, FileRow
from instrument_watcher.service.api import Service, Ticket
from instrument_watcher.service.store import Store
from instrument_watcher.token_file import TokenMissing
from instrument_watcher.uploading.pacing import Pace, Stopping
from instrument_watcher.uploading.uploader import Uploader
from instrument_watcher.watching.scanning import sight


class Tokenless:
    """What calls the service is given no token: its file is being replaced."""

    def request_upload_url(self, instrument_id: str, run_id: str, order: dict[str, object]) -> Ticket:
        raise TokenMissing(Path("token"))


@pytest.fixture
def row(journal: Journal, root: Path) -> FileRow:
    (root / "R1/a.csv").write_bytes(b"first")
    sighting = sight(root, "R1/a.csv")
    assert sighting is not None
    journal.files.add_found([Found("R1/a.csv", sighting, run_id="R1")])
    return line_of(journal)


def line_of(journal: Journal) -> FileRow:
    row = journal.files.find("R1/a.csv")
    assert row is not None
    return row


def make_uploader(root: Path, journal: Journal, chronicle: Chronicle, *, stop: threading.Event) -> Uploader:
    return Uploader(
        root, "reader", journal=journal, chronicle=chronicle, activity=Activity(), service=cast(Service, Tokenless()),
        store=Store(), pace=Pace(stop), on_change=OnChange.VERSION,
    )  # fmt: skip


def test_a_token_that_is_missing_is_no_fault_of_the_file(
    journal: Journal, chronicle: Chronicle, root: Path, row: FileRow
):
    with pytest.raises(TokenMissing):
        make_uploader(root, journal, chronicle, stop=threading.Event()).upload(row)

    after = line_of(journal)
    assert (after.attempts, after.reason) == (0, None)


def test_what_was_read_is_forgotten_once_another_file_stands_there(
    journal: Journal, chronicle: Chronicle, root: Path, row: FileRow
):
    """Also where the agent ends before it has read that: the service may have the first one, and it would be done."""
    place = root / "R1/a.csv"
    journal.files.mark_hashed(row, Digest(hashlib.sha256(b"first").hexdigest(), "", ()))
    beside = root / "beside"
    beside.write_bytes(b"other")
    os.utime(beside, ns=(row.sighting.mtime_ns, row.sighting.mtime_ns))
    beside.replace(place)
    stop = threading.Event()
    stop.set()

    with pytest.raises(Stopping):
        make_uploader(root, journal, chronicle, stop=stop).upload(line_of(journal))

    after = line_of(journal)
    assert (after.digest, after.sighting.inode) == (None, place.stat().st_ino)
