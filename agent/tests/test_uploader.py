"""One upload that does not succeed: what becomes of its line in the journal."""

import threading
from pathlib import Path
from typing import cast

import pytest

from instrument_watcher.activity import Activity
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import OnChange
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.service.api import Service, Ticket
from instrument_watcher.service.store import Store
from instrument_watcher.token_file import TokenMissing
from instrument_watcher.uploading.pacing import Pace
from instrument_watcher.uploading.uploader import Uploader
from instrument_watcher.watching.scanning import sight


class Tokenless:
    """What calls the service is given no token: its file is being replaced."""

    def request_upload_url(self, instrument_id: str, run_id: str, order: dict[str, object]) -> Ticket:
        raise TokenMissing(Path("token"))


def test_a_token_that_is_missing_is_no_fault_of_the_file(journal: Journal, chronicle: Chronicle, root: Path):
    (root / "R1/a.csv").write_bytes(b"a")
    sighting = sight(root, "R1/a.csv")
    assert sighting is not None
    journal.files.add_found([Found("R1/a.csv", sighting, run_id="R1")])
    row = journal.files.find("R1/a.csv")
    assert row is not None
    uploader = Uploader(
        root, "reader", journal=journal, chronicle=chronicle, activity=Activity(), service=cast(Service, Tokenless()),
        store=Store(), pace=Pace(threading.Event()), on_change=OnChange.VERSION,
    )  # fmt: skip

    with pytest.raises(TokenMissing):
        uploader.upload(row)

    after = journal.files.find("R1/a.csv")
    assert after is not None
    assert (after.attempts, after.reason) == (0, None)
