"""A journal that was lost learns from the service what is stored, before anything is reported or sent."""

import logging
from collections.abc import Iterable
from typing import Any

from instrument_watcher.clock import parse_stamp
from instrument_watcher.config.model import Config
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.stored import StoredFile
from instrument_watcher.service.api import Service
from instrument_watcher.service.errors import Refused, TokenRefused
from instrument_watcher.sizes import count_text

log = logging.getLogger("instrument_watcher")


class Rebuilder:
    def __init__(self, config: Config, journal: Journal, service: Service) -> None:
        self._instrument_id = config.instrument_id
        self._journal, self._service = journal, service

    def learn_stored(self) -> None:
        """Once for each journal, going on where it stopped. Raises ServiceAway, TokenRefused, Refused."""
        if self._journal.stored.is_known():
            return
        try:
            known = self._read_runs()
        except TokenRefused as refusal:
            if "scope" not in refusal.details:
                raise
            log.warning("Files that were renamed may be sent again, because the token may not list them: %s", refusal)
            known = 0
        self._journal.stored.mark_known()
        if known:
            log.info("The service holds %s of this instrument; none is sent again.", count_text(known, "file"))

    def _read_runs(self) -> int:
        files, page = 0, self._journal.stored.read_to()
        while True:
            page += 1
            runs, pages = self._service.runs_page(self._instrument_id, page=page)
            files += sum(self._read_run(run["run_id"]) for run in runs if run.get("file_count") != 0)
            if page >= pages:
                return files
            self._journal.stored.mark_read_to(page)

    def _read_run(self, run_id: str) -> int:
        try:
            stored = list(_stored_files(run_id, self._service.raw_files(self._instrument_id, run_id)))
        except TokenRefused:
            raise
        except Refused as refusal:
            log.warning("The files of run %s cannot be listed: %s", run_id, refusal.message)
            return 0
        self._journal.stored.add(stored)
        return len(stored)


def _stored_files(run_id: str, records: Iterable[dict[str, Any]]) -> Iterable[StoredFile]:
    """What was uploaded, with its hash. A later version stands where the first one stood."""
    places: dict[int, str] = {}
    for record in sorted(records, key=lambda record: record["id"]):
        place = places.get(record.get("version_of") or 0, record["relative_path"])
        places[record["id"]] = place
        if record["uploaded_at"] is None or record["sha256"] is None or record["size_bytes"] is None:
            continue
        yield StoredFile(
            record["id"],
            run_id,
            place,
            record["size_bytes"],
            record["sha256"],
            parse_stamp(record["file_created_at"]),
            inode=0,
            uploaded_at=record["uploaded_at"],
        )
