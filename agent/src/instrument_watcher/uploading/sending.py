"""Bringing the bytes of one file to the store: in one PUT, or in parts of which each is tried again by itself."""

import logging
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from instrument_watcher.activity import Phase, Transfer
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import Digest, FileRow
from instrument_watcher.service.api import Service, Ticket
from instrument_watcher.service.errors import Refused
from instrument_watcher.service.store import BytesRefused, ConnectionCut, Store, StoreError, UploadLost
from instrument_watcher.uploading.crc import hex_of, part_crcs
from instrument_watcher.uploading.hashing import BLOCK
from instrument_watcher.uploading.link_quality import LinkQuality
from instrument_watcher.uploading.orders import announced_bytes
from instrument_watcher.uploading.pacing import backoff
from instrument_watcher.uploading.source import Source

log = logging.getLogger("instrument_watcher")
PART_ATTEMPTS = 5
CUTS_BEFORE_SMALLER = 3  # of one part, where others of its size did arrive and would be sent again
FIRST_WAIT, LONGEST_WAIT = 1.0, 30.0


@dataclass(frozen=True)
class Parcel:
    """One file, open and hashed, on its way."""

    row: FileRow
    digest: Digest
    source: Source
    transfer: Transfer


class Sender:
    def __init__(self, journal: Journal, service: Service, store: Store, quality: LinkQuality) -> None:
        self._journal, self._service, self._store, self._quality = journal, service, store, quality

    def send(self, parcel: Parcel, ticket: Ticket) -> int:
        """Send and confirm. Returns the bytes that went out. Raises StoreError, Refused, ServiceAway, Changed."""
        if ticket.upload_id is not None and ticket.part_size is not None:
            return self._send_in_parts(parcel, ticket.file_id, ticket.upload_id, ticket.part_size)
        return self._send_whole(parcel, ticket)

    def _send_whole(self, parcel: Parcel, ticket: Ticket) -> int:
        parcel.transfer.enter(Phase.UPLOADING)
        size = parcel.row.sighting.size
        self._put(parcel, ticket, start=0, size=size)
        self.confirm(parcel, ticket)
        return size

    def confirm(self, parcel: Parcel, ticket: Ticket) -> None:
        """Raises OvertakenUpload."""
        self._service.confirm_upload(ticket.file_id, announced=announced_bytes(parcel.row, parcel.digest))

    def _send_in_parts(self, parcel: Parcel, file_id: int, upload_id: str, part_size: int) -> int:
        """Parts that the journal has are not sent again."""
        size = parcel.row.sighting.size
        crcs = part_crcs(parcel.digest.block_crcs, block_size=BLOCK, part_size=part_size, size=size)
        etags = self._journal.files.parts(parcel.row.id)
        parcel.transfer.enter(Phase.UPLOADING, done=min(size, part_size * len(etags)))
        sent = 0
        for number, crc in enumerate(crcs, start=1):
            if number in etags:
                continue
            start = (number - 1) * part_size
            part = _Part(file_id, upload_id, number, hex_of(crc), start, min(part_size, size - start))
            etags[number] = self._send_part(parcel, part)
            self._journal.files.mark_part(parcel.row.id, number=number, etag=etags[number])
            sent += part.size
        self._complete(parcel, file_id, upload_id, etags)
        return sent

    def _send_part(self, parcel: Parcel, part: "_Part") -> str:
        """The ETag. Each attempt gets a fresh address, so that none expires while others are waited for."""
        done = parcel.transfer.done
        for attempt in range(PART_ATTEMPTS):
            parcel.transfer.done = done
            ticket = self._service.part_url(
                part.file_id, upload_id=part.upload_id, number=part.number, crc32=part.crc32
            )
            try:
                return self._put(parcel, ticket, start=part.start, size=part.size)
            except (BytesRefused, UploadLost):
                raise
            except StoreError as error:
                if self._wants_smaller(parcel.row, part.size, cuts=attempt + 1):
                    self._journal.files.forget_parts(parcel.row.id)
                    raise
                if attempt + 1 == PART_ATTEMPTS:
                    raise
                log.info("Part %d of %s is sent again: %s", part.number, parcel.row.path, error)
                wait = backoff(attempt, first=FIRST_WAIT, most=LONGEST_WAIT, random=random.random)
                parcel.source.pace.sleep(max(wait, error.retry_after))
        raise AssertionError("the last attempt returns or raises")

    def _put(self, parcel: Parcel, ticket: Ticket, *, start: int, size: int) -> str:
        """The ETag. How it went says how large the next part may be."""
        headers, before, began = ticket.headers or {}, parcel.transfer.done, time.monotonic()
        if self._quality.part_size() is not None:
            headers |= {"Connection": "close"}  # some boxes count what passes a connection
        pieces = _pieces(parcel, start=start, size=size)
        try:
            etag = self._store.put(ticket.upload_url or "", headers=headers, size=size, pieces=pieces)
        except ConnectionCut:
            self._quality.note_cut(parcel.transfer.done - before)
            raise
        self._quality.note_sent(size, time.monotonic() - began)
        return etag

    def _wants_smaller(self, row: FileRow, size: int, *, cuts: int) -> bool:
        """Whether the file is to begin anew in smaller parts."""
        wanted = self._quality.part_size()
        if not self._quality.is_understood or wanted is None or wanted >= size:
            return False
        return cuts >= CUTS_BEFORE_SMALLER or not self._journal.files.parts(row.id)

    def _complete(self, parcel: Parcel, file_id: int, upload_id: str, etags: dict[int, str]) -> None:
        try:
            announced = announced_bytes(parcel.row, parcel.digest)
            self._service.complete_multipart(file_id, upload_id=upload_id, etags=etags, announced=announced)
        except Refused:
            self._journal.files.forget_parts(parcel.row.id)  # the store has other parts than the journal believes
            raise


@dataclass(frozen=True)
class _Part:
    file_id: int
    upload_id: str
    number: int
    crc32: str
    start: int
    size: int


def _pieces(parcel: Parcel, *, start: int, size: int) -> Iterator[bytes]:
    for piece in parcel.source.pieces(start=start, size=size):
        parcel.source.pace.before_sending(len(piece))
        yield piece
        parcel.transfer.done += len(piece)
