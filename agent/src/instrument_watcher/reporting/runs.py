"""Telling the service which runs and files there are, before their bytes are sent."""

import logging
import time

from instrument_watcher.chronicle import Chronicle
from instrument_watcher.clock import plausible_stamp
from instrument_watcher.config.model import Config, UploadMode
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.reporting.recognising import Recogniser
from instrument_watcher.service.api import Service
from instrument_watcher.service.errors import Refused, TokenRefused
from instrument_watcher.sizes import count_text
from instrument_watcher.uploading.orders import detected_file
from instrument_watcher.uploading.uploader import stop_run

log = logging.getLogger("instrument_watcher")
BATCH = 500  # the service takes 1,000
LOOK_AGAIN = 3600.0


class RunReporter:
    def __init__(self, config: Config, journal: Journal, chronicle: Chronicle, service: Service) -> None:
        self._config, self._journal, self._chronicle, self._service = config, journal, chronicle, service
        self._recogniser = Recogniser(config.watch_directory, journal)
        self._without_room: set[str] = set()  # whose files wait for a greater quota
        self._look_again_at = 0.0

    def report(self) -> bool:
        """Report the files of one run; False when there are none. Raises ServiceAway, TokenRefused."""
        rows = self._journal.queue.to_report(limit=BATCH)
        if not rows:
            return False
        run_id = rows[0].run_id or ""
        if run_id in self._journal.runs.stopped():
            self._journal.files.stop_run(run_id, reason="Its run was deleted on the service.")
            return True
        try:
            if rows := self._recogniser.unknown(rows):
                self._report(run_id, rows)
        except TokenRefused:
            raise
        except Refused as refusal:
            self._note_refusal(run_id, rows, refusal)
        return True

    def resume(self) -> None:
        """Once an hour, and at the start: runs that were deleted may be restored, and quotas raised."""
        if time.monotonic() < self._look_again_at:
            return
        for run_id in self._journal.runs.stopped():
            if not self._is_deleted(run_id):
                files = self._journal.resume_run(run_id)
                log.info("Run %s was restored; %d files go on.", run_id, files)
        for run_id in self._without_room:
            self._journal.files.report_refused(run_id)
        self._look_again_at = time.monotonic() + LOOK_AGAIN

    def _report(self, run_id: str, rows: list[FileRow]) -> None:
        is_news = self._journal.runs.is_new(run_id)
        report = {
            "run_id": run_id,
            "source": "watcher",
            "watcher_id": self._config.watcher_id,
            "detected_files": [detected_file(row) for row in rows],
        }
        times = filter(None, (plausible_stamp(row.sighting.mtime_ns) for row in rows))
        if acquired_at := min(times, default=None):
            report["acquired_at"] = acquired_at
        self._service.report_run(self._config.instrument_id, report)
        self._without_room.discard(run_id)
        with self._journal.transaction():
            self._journal.runs.mark_reported(run_id)
            versions = [row for row in rows if self._journal.stored.is_name_taken(row.path)]
            self._journal.files.mark_reported(versions, wanted=True)  # as those of files that change where they are
            self._journal.files.mark_reported(rows, wanted=self._config.upload_mode is UploadMode.AUTO)
            if is_news:
                self._chronicle.run_reported(run_id, files=len(rows))

    def _note_refusal(self, run_id: str, rows: list[FileRow], refusal: Refused) -> None:
        fields, is_one = refusal.details.get("fields", {}), len(rows) == 1
        if refusal.is_about_deletion:
            stop_run(self._journal, self._chronicle, run_id)
        elif "quota" in refusal.details:
            self._leave(run_id, rows, refusal)
        elif refusal.status not in (400, 413) or "watcher_id" in fields or (is_one and not refusal.is_final):
            raise refusal
        elif is_one or "run_id" in fields:
            for row in rows:
                self._journal.files.settle(row, FileState.REFUSED, reason=refusal.message)
                self._chronicle.upload_failed(row, refusal.message)
        else:
            self._report_singly(run_id, rows)

    def _leave(self, run_id: str, rows: list[FileRow], refusal: Refused) -> None:
        """The service has no room for these; other runs go on, and in an hour they are tried again."""
        files = count_text(len(rows), "file")
        with self._journal.transaction():
            for row in rows:
                self._journal.files.settle(row, FileState.REFUSED, reason=refusal.message)
            if run_id not in self._without_room:
                message = f"Run {run_id}: {refusal.message} {files} left here."
                self._chronicle.error(message, run_id=run_id, files=len(rows))
        self._without_room.add(run_id)

    def _report_singly(self, run_id: str, rows: list[FileRow]) -> None:
        """One bad name must not hold up the others."""
        for row in rows:
            try:
                self._report(run_id, [row])
            except TokenRefused:
                raise
            except Refused as refusal:
                self._note_refusal(run_id, [row], refusal)

    def _is_deleted(self, run_id: str) -> bool:
        try:
            return self._service.run(self._config.instrument_id, run_id)["deleted_at"] is not None
        except TokenRefused:
            raise
        except Refused:
            return True
