"""Uploads that people asked for: the queue on the service, served from the journal."""

import logging
from pathlib import Path

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.platforms import paths
from instrument_watcher.service.api import QueuedFile, Service
from instrument_watcher.service.errors import Refused, TokenRefused
from instrument_watcher.watching.scanning import LeadsOut, sight

log = logging.getLogger("instrument_watcher")


class UploadRequests:
    def __init__(self, root: Path, watcher_id: str, journal: Journal, chronicle: Chronicle, service: Service) -> None:
        self._root, self._watcher_id = root, watcher_id
        self._journal, self._chronicle, self._service = journal, chronicle, service
        self._tried: set[int] = set()  # what stays on the queue although its turn came

    def take(self) -> int:
        """Mark every requested file as wanted. Returns how many are. Raises ServiceAway, TokenRefused."""
        wanted, queue = 0, list(self._service.upload_queue(self._watcher_id))
        self._tried &= {request.file_id for request in queue}
        for request in queue:
            row = self._journal.files.find(request.relative_path)
            if row is None or row.state is FileState.GONE:
                row = self._enter(request)
            if row is None or row.run_id != request.run_id:
                self._give_up(request, "is not in the folder any more.")
                continue
            if row.state is FileState.REFUSED and request.file_id in self._tried:
                self._give_up(request, f"is not sent: {row.reason}")
                continue
            self._tried.add(request.file_id)
            if not (row.state is FileState.REPORTED and row.wanted):
                self._journal.files.want(row.id)
            wanted += 1
        return wanted

    def _enter(self, request: QueuedFile) -> FileRow | None:
        """A file the journal does not have, but the directory has: somebody else reported it."""
        try:
            sighting = sight(self._root, request.relative_path)
        except (LeadsOut, OSError):
            return None
        if sighting is None or paths.listed_name(self._root, request.relative_path) != request.relative_path:
            return None
        self._journal.files.add_found([Found(request.relative_path, sighting, run_id=request.run_id)])
        return self._journal.files.find(request.relative_path)

    def _give_up(self, request: QueuedFile, why: str) -> None:
        """Take it off the queue, so that whoever asked sees that it will not come."""
        try:
            self._service.give_up_upload(request.file_id)
        except TokenRefused:
            raise
        except Refused as refusal:
            log.info("%s stays on the queue: %s", request.relative_path, refusal.message)
            return
        self._chronicle.tell(
            "upload_failed", f"{request.relative_path} was asked for, and {why}",
            level=logging.WARNING, run_id=request.run_id, relative_path=request.relative_path,
        )  # fmt: skip
