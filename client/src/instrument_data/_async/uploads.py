"""Bringing a folder into a run: several files at once, each verified by the store; what is there is not sent again."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from instrument_data._async.small_files import SMALL, AsyncTogether, groups_of
from instrument_data._async.waiting import each, in_thread, sleep
from instrument_data.cache import PIECE
from instrument_data.errors import (
    Conflict,
    Gone,
    InstrumentDataError,
    NotFound,
    ServiceAway,
    StoreRefused,
    Unauthorized,
    ValidationError,
    reason_of,
)
from instrument_data.local_files import Described, LocalFile, SentParts, describe
from instrument_data.progress import Bar
from instrument_data.retries import Patience

if TYPE_CHECKING:
    from instrument_data._async.connection import AsyncConnection

KNOWN, UPLOADED = "known", "uploaded"
SEND_AGAIN = frozenset({401, 403, 408, 429, 500, 502, 503, 504})  # 401 and 403: the address ended while others went
THERE_ALREADY = 412
TIMEOUT = httpx.Timeout(60.0, connect=10.0, read=300.0, write=300.0)


@dataclass(frozen=True)
class Outcome:
    file: LocalFile
    state: str | None = None
    reason: str = ""


@dataclass(frozen=True)
class Slice:
    """Bytes of a file that go out in one request."""

    path: Path
    start: int
    size: int


class AsyncUploader:
    """`notes` is a folder in which it keeps which parts of large files were sent."""

    def __init__(
        self,
        connection: AsyncConnection,
        run_path: str,
        *,
        notes: Path,
        bar: Bar,
        new_version: bool,
        part_size: int | None,
    ) -> None:
        self._connection, self._run_path, self._notes, self._bar = connection, run_path, notes, bar
        self._new_version, self._part_size = new_version, part_size
        self._together = AsyncTogether(connection, run_path)

    async def send_all(self, files: Sequence[LocalFile], *, parallel: int) -> AsyncIterator[Outcome]:
        """One outcome a file. Raises Unauthorized and ServiceAway, which no further file would escape."""
        small = [file for file in files if file.size <= SMALL]
        async for outcomes in each(self._send_together, groups_of(small, parallel=parallel), limit=parallel):
            for outcome in outcomes:
                yield outcome
        large = [file for file in files if file.size > SMALL]
        async for outcome in each(self._send, large, limit=parallel):
            yield outcome

    async def _send_together(self, files: Sequence[LocalFile]) -> list[Outcome]:
        """Two round trips beside the bytes. What is not plain goes alone, hears what arrived, and why it is refused."""
        described = [one for file in files if (one := await self._describe(file)) is not None]
        tickets = await self._together.ask_for_tickets([self._order(one) for one in described])
        states: dict[str, str] = {}
        sent: dict[int, Described] = {}
        for one, ticket in zip(described, tickets, strict=True):
            if ticket is not None and ticket["already_uploaded"]:
                self._bar.advance(one.file.size)
                states[one.file.name] = KNOWN
            elif ticket is not None and await self._arrives(one, ticket):
                sent[ticket["file_id"]] = one
        states |= {one.file.name: UPLOADED for one in await self._together.confirm(sent)}
        return [Outcome(file, states[file.name]) if file.name in states else await self._send(file) for file in files]

    async def _describe(self, file: LocalFile) -> Described | None:
        try:
            return await in_thread(describe, file)
        except (InstrumentDataError, OSError, ValueError):
            return None

    async def _arrives(self, described: Described, ticket: dict[str, Any]) -> bool:
        if ticket["upload_type"] != "single":
            return False
        try:
            await self._put(ticket, Slice(described.file.path, 0, described.file.size))
        except (_Interrupted, StoreRefused, OSError, ValueError):
            return False
        return True

    async def _send(self, file: LocalFile) -> Outcome:
        try:
            described = await in_thread(describe, file)
            return Outcome(file, await self._send_described(described))
        except (Unauthorized, ServiceAway):
            raise
        except (InstrumentDataError, OSError, ValueError) as error:
            return Outcome(file, reason=reason_of(error))

    async def _send_described(self, described: Described) -> str:
        """Each attempt asks for a fresh address, and hears then what arrived before."""
        patience = Patience(self._connection.patience)
        while True:
            ticket = await self._ask_for_ticket(described)
            if ticket["already_uploaded"]:
                self._bar.advance(described.file.size)
                return KNOWN
            try:
                if ticket["upload_type"] == "multipart":
                    record = await self._send_parts(described, ticket, patience)
                else:
                    record = await self._send_whole(described, ticket)
                if described.is_what(record):
                    return UPLOADED
                raise _Interrupted("Somebody else sent other bytes for it meanwhile.")
            except _Interrupted as error:
                wait = patience.next_wait(error.retry_after)
                if wait is None:
                    raise StoreRefused(str(error)) from error
                await sleep(wait)

    async def _ask_for_ticket(self, described: Described) -> dict[str, Any]:
        path = f"{self._run_path}/request-upload-url"
        return await self._connection.ask("POST", path, body=self._order(described))

    def _order(self, described: Described) -> dict[str, Any]:
        order = described.order(new_version=self._new_version)
        return order if self._part_size is None else {**order, "part_size": self._part_size}

    async def _send_whole(self, described: Described, ticket: dict[str, Any]) -> dict[str, Any]:
        """The record of what is stored."""
        await self._put(ticket, Slice(described.file.path, 0, described.file.size))
        return await self._connection.ask("PATCH", f"/files/{ticket['file_id']}", body={"status": "uploaded"})

    async def _send_parts(self, described: Described, ticket: dict[str, Any], patience: Patience) -> dict[str, Any]:
        """Likewise. Parts that an earlier call sent under the same upload are not sent again."""
        path, upload_id = f"/files/{ticket['file_id']}/multipart-upload", ticket["upload_id"]
        notes = SentParts(self._notes / f"{ticket['file_id']}-{zlib.crc32(upload_id.encode()):08x}.json")
        sent = notes.load()
        for number, part in parts_of(described.file, ticket["part_size"]):
            if number in sent:
                self._bar.advance(part.size)
                continue
            asked = {"part_number": number, "crc32": await in_thread(crc32_of, part)}
            answer = await self._connection.ask(
                "POST", f"{path}/part-urls", body={"upload_id": upload_id, "parts": [asked]}
            )
            sent[number] = await self._put(answer["parts"][0], part)
            await in_thread(notes.save, sent)
            patience.renew()
        listed = [{"part_number": number, "etag": etag} for number, etag in sorted(sent.items())]
        try:
            record = await self._connection.ask(
                "POST", f"{path}/complete", body={"upload_id": upload_id, "parts": listed}
            )
        except (ValidationError, NotFound, Conflict, Gone):
            notes.forget()  # the store has other parts than the notes say
            raise
        notes.forget()
        return record

    async def _put(self, signed: dict[str, Any], part: Slice) -> str:
        """The ETag. The address binds length and checksum, so the store takes exactly these bytes."""
        headers = {**signed["headers"], "Content-Length": str(part.size)}
        try:
            answer = await self._connection.store.put(
                signed["upload_url"], headers=headers, content=self._pieces(part), timeout=TIMEOUT
            )
        except httpx.TransportError as error:
            raise _Interrupted(f"The object store does not answer: {str(error) or type(error).__name__}") from error
        if answer.is_success or answer.status_code == THERE_ALREADY:
            return str(answer.headers.get("ETag", "")).strip('"')
        if answer.status_code in SEND_AGAIN:
            raise _Interrupted(f"The object store answered {answer.status_code}.", answer.headers.get("Retry-After"))
        raise StoreRefused(f"The object store answered {answer.status_code}: the file changed while it was sent?")

    async def _pieces(self, part: Slice) -> AsyncIterator[bytes]:
        with part.path.open("rb") as source:
            source.seek(part.start)
            left = part.size
            while left and (piece := await in_thread(source.read, min(PIECE, left))):
                yield piece
                left -= len(piece)
                self._bar.advance(len(piece))
        if left:
            raise ValueError("It was cut short while it was sent.")


class _Interrupted(Exception):
    """The bytes did not arrive; another attempt may succeed."""

    def __init__(self, why: str, retry_after: str | None = None) -> None:
        super().__init__(why)
        self.retry_after = retry_after


def parts_of(file: LocalFile, part_size: int) -> Iterator[tuple[int, Slice]]:
    for number, start in enumerate(range(0, file.size, part_size), start=1):
        yield number, Slice(file.path, start, min(part_size, file.size - start))


def crc32_of(part: Slice) -> str:
    crc, left = 0, part.size
    with part.path.open("rb") as source:
        source.seek(part.start)
        while left and (piece := source.read(min(PIECE, left))):
            crc, left = zlib.crc32(piece, crc), left - len(piece)
    return f"{crc:08x}"
