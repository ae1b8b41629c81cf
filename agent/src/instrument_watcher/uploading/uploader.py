"""One file from the journal to the service. Whatever happens on the way ends in a line of the journal."""

import logging
import random
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from instrument_watcher.activity import Activity, Transfer
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.config.model import OnChange
from instrument_watcher.journal.database import JournalUnavailable, JournalUnreadable
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import Digest, FileRow, FileState
from instrument_watcher.service.api import Service, Ticket
from instrument_watcher.service.errors import Refused, ServiceAway, SlowDown, TokenRefused
from instrument_watcher.service.store import AlreadyThere, BytesRefused, ConnectionCut, Store, StoreError
from instrument_watcher.sizes import bytes_text, count_text, seconds_text
from instrument_watcher.token_file import TokenMissing
from instrument_watcher.uploading.hashing import hash_source
from instrument_watcher.uploading.link_quality import LinkQuality
from instrument_watcher.uploading.orders import upload_order
from instrument_watcher.uploading.pacing import Pace, Stopping, backoff
from instrument_watcher.uploading.sending import Parcel, Sender
from instrument_watcher.uploading.source import Changed, Source, Vanished, open_source
from instrument_watcher.watching.scanning import LeadsOut, sight

log = logging.getLogger("instrument_watcher")
FIRST_WAIT, LONGEST_WAIT = 5.0, 3600.0
DEFER_SECONDS = 15.0  # while the service is away
SEND_ATTEMPTS = 3
TELL_AFTER = 3  # attempts that fail before the service hears of it


class Uploader:
    def __init__(
        self,
        root: Path,
        instrument_id: str,
        *,
        journal: Journal,
        chronicle: Chronicle,
        activity: Activity,
        service: Service,
        store: Store,
        pace: Pace,
        on_change: OnChange,
    ) -> None:
        self._root, self._instrument_id, self._pace = root, instrument_id, pace
        self._journal, self._chronicle, self._activity, self._service = journal, chronicle, activity, service
        self._on_change = on_change
        self._quality = LinkQuality()
        self._sender = Sender(journal, service, store, self._quality)

    def upload(self, row: FileRow) -> None:
        """Upload or compare the file, settle or postpone it.

        Raises ServiceAway, TokenRefused, TokenMissing, Stopping: try later.
        """
        try:
            with open_source(self._root, row.path, pace=self._pace) as source:
                source.refuse_changed(row.sighting)
                row = self._as_opened(row, source)
                with self._activity.transfer(row.id, row.path, row.sighting.size) as transfer:
                    work = self._compare if row.state is FileState.COMPARING else self._upload_open
                    work(row, source, transfer)
        except Vanished:
            self._note_vanished(row)
        except Changed:
            log.info("%s changes; it is looked at again.", row.path)
            self._journal.files.remove(row)  # the folder watch finds it as new once it is complete
        except LeadsOut:
            self._give_up(row, FileState.REFUSED, "It is a link that leads out of the folder.")
        except (SlowDown, Stopping, JournalUnavailable, JournalUnreadable):
            raise
        except (ServiceAway, TokenRefused, TokenMissing):
            self._journal.queue.defer(row.id, until=time.monotonic() + DEFER_SECONDS)
            raise
        except Refused as refusal:
            self._note_refusal(row, refusal)
        except (StoreError, OSError) as error:
            if isinstance(error, BytesRefused):
                self._journal.files.forget_content(row.id)
            reason = str(error)
            if isinstance(error, ConnectionCut) and not self._quality.is_understood:
                reason += " The way there cuts large bodies, and the service does not take smaller parts yet."
            self._postpone(row, reason, retry_after=getattr(error, "retry_after", 0.0))
        except Exception as error:
            self._postpone(row, f"A fault in the agent itself: {type(error).__name__}")
            raise

    def _as_opened(self, row: FileRow, source: Source) -> FileRow:
        """To be read again where another file of its size and time may be in its place, and its inode tells that."""
        current = source.sighting()
        if row.sighting.is_same_file(current):
            return row
        self._journal.files.mark_replaced(row, current)
        return replace(row, sighting=current, digest=None)

    def _compare(self, row: FileRow, source: Source, transfer: Transfer) -> None:
        """Read it, so that it can be told whether the service has it."""
        if row.digest is None:
            self._hash(row, source, transfer)
        self._journal.files.mark_compared(row)

    def _upload_open(self, row: FileRow, source: Source, transfer: Transfer) -> None:
        began = time.monotonic()
        digest = row.digest or self._hash(row, source, transfer)
        ticket = self._ask(row, digest)
        sent = 0 if ticket.already_uploaded else self._send(Parcel(row, digest, source, transfer), ticket)
        with self._journal.transaction():
            self._journal.mark_uploaded(row, file_id=ticket.file_id, sha256=digest.sha256)
            self._chronicle.uploaded(row, sha256=digest.sha256, seconds=time.monotonic() - began, sent=sent)
        if sent:
            self._look_once_more(row)

    def _look_once_more(self, row: FileRow) -> None:
        """Another file of its size and time may have been put in its place while it was sent: nobody else tells them
        apart later. Where the same bytes are read then, nothing is sent, and this ends."""
        with suppress(LeadsOut, OSError):
            current = sight(self._root, row.path)
            if current is not None and current.is_same_version(row.sighting) and not current.is_same_file(row.sighting):
                self._journal.files.send_again(row, current)

    def _hash(self, row: FileRow, source: Source, transfer: Transfer) -> Digest:
        digest = hash_source(source, transfer)
        source.refuse_changed(row.sighting)
        if row.sha256 not in (None, digest.sha256):
            self._journal.files.forget_content(row.id)  # the parts that were sent are another file's
        self._journal.files.mark_hashed(row, digest)
        return digest

    def _ask(self, row: FileRow, digest: Digest) -> Ticket:
        """Where the bytes go. Parts that are too large for the way there are given up, unless some of them arrived."""
        order = upload_order(row, digest, part_size=self._quality.part_size())
        ticket = self._request(row, order)
        asked = order.get("part_size")
        if asked is None or ticket.already_uploaded:
            return ticket
        if ticket.upload_id is not None and (ticket.part_size or 0) > asked:
            if self._journal.files.parts(row.id):
                return ticket
            with suppress(Refused):  # the next answer says why
                self._service.abort_multipart(ticket.file_id, upload_id=ticket.upload_id)
            ticket = self._request(row, order)
        if not ticket.already_uploaded:
            self._quality.is_understood = (ticket.part_size or row.sighting.size) <= asked
        return ticket

    def _request(self, row: FileRow, order: dict[str, Any]) -> Ticket:
        run_id = row.run_id or ""
        try:
            ticket = self._service.request_upload_url(self._instrument_id, run_id, order)
        except Refused as refusal:
            if not (refusal.is_about_other_bytes and self._on_change is OnChange.VERSION):
                raise
            ticket = self._service.request_upload_url(self._instrument_id, run_id, order | {"new_version": True})
        self._journal.files.mark_ticketed(row.id, file_id=ticket.file_id, upload_id=ticket.upload_id)
        return ticket

    def _send(self, parcel: Parcel, ticket: Ticket) -> int:
        """The bytes that went out. What does not arrive is sent again to a fresh address."""
        for attempt in range(1, SEND_ATTEMPTS + 1):
            try:
                return self._sender.send(parcel, ticket)
            except AlreadyThere:
                self._sender.confirm(parcel, ticket)
                return 0
            except StoreError as error:
                if isinstance(error, BytesRefused) or attempt == SEND_ATTEMPTS:
                    raise
                log.info("%s is sent again: %s", parcel.row.path, error)
                self._pace.sleep(max(error.retry_after, backoff(attempt, first=0.5, most=10, random=random.random)))
                ticket = self._ask(parcel.row, parcel.digest)
                if ticket.already_uploaded:
                    return 0
        raise AssertionError("the last attempt returns or raises")

    def _note_refusal(self, row: FileRow, refusal: Refused) -> None:
        details = refusal.details
        if refusal.is_about_deletion and "file_id" in details:
            self._journal.files.settle(row, FileState.DISMISSED, reason="Dismissed on the service.")
            log.info("%s was dismissed on the service.", row.path)
        elif refusal.is_about_deletion and row.run_id is not None:
            stop_run(self._journal, self._chronicle, row.run_id)
        elif refusal.is_about_other_bytes:
            self._note_other_bytes(row, refusal)
        elif refusal.is_final:
            self._give_up(row, FileState.REFUSED, refusal.message)
        elif refusal.status == 404:
            self._journal.files.report_again(row.id)
        else:
            self._postpone(row, refusal.message)

    def _note_vanished(self, row: FileRow) -> None:
        """A drive that is not mounted leaves nothing, or an empty folder: then nothing has vanished."""
        if self._root.is_dir() and any(self._root.iterdir()):
            self._give_up(row, FileState.GONE, "It vanished before it was uploaded.")
        else:
            self._journal.queue.defer(row.id, until=time.monotonic() + DEFER_SECONDS)

    def _note_other_bytes(self, row: FileRow, refusal: Refused) -> None:
        stored = refusal.details.get("size_bytes")
        size = bytes_text(stored) if isinstance(stored, int) else "another size"
        reason = f"The service keeps another version of it ({size}, here {bytes_text(row.sighting.size)})."
        is_wanted = self._on_change is OnChange.VERSION
        if is_wanted:
            reason += " It does not take a second version yet."
        with self._journal.transaction():
            if is_wanted:
                self._postpone(row, reason)
            else:
                self._journal.files.mark_changed(row, row.sighting, reason=reason)
            if row.attempts == 0:
                self._chronicle.error(
                    f"{row.path}: {reason}", run_id=row.run_id, relative_path=row.path, size_bytes=row.sighting.size,
                    stored_size_bytes=stored, stored_sha256=refusal.details.get("sha256"),
                )  # fmt: skip

    def _give_up(self, row: FileRow, state: FileState, reason: str) -> None:
        with self._journal.transaction():
            self._journal.files.settle(row, state, reason=reason)
            self._chronicle.upload_failed(row, reason)

    def _postpone(self, row: FileRow, reason: str, *, retry_after: float = 0.0) -> None:
        wait = max(retry_after, backoff(row.attempts, first=FIRST_WAIT, most=LONGEST_WAIT, random=random.random))
        self._journal.queue.postpone(row.id, until=time.monotonic() + wait, reason=reason)
        if row.attempts + 1 == TELL_AFTER:
            self._chronicle.upload_failed(row, reason, attempts=row.attempts + 1)
        log.info("%s is tried again in %s: %s", row.path, seconds_text(wait), reason)


def stop_run(journal: Journal, chronicle: Chronicle, run_id: str) -> None:
    """Somebody deleted the run: nothing more is sent for it, until it is restored."""
    reason = "Its run was deleted on the service."
    with journal.transaction():
        waiting = journal.stop_run(run_id, reason=reason)
        files = count_text(waiting, "file")
        chronicle.error(f"Run {run_id} was deleted on the service; {files} left here.", run_id=run_id, files=waiting)
