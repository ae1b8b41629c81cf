"""A run as an RO-Crate: packed by the service and fetched, or brought back from a crate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

from instrument_data._async.waiting import in_thread, sleep
from instrument_data.cache import draft_beside
from instrument_data.errors import StoreRefused
from instrument_data.progress import Bar, bar_for
from instrument_data.retries import AGAIN, Patience

if TYPE_CHECKING:
    from instrument_data._async.connection import AsyncConnection

POLL_SECONDS = 1.0
FETCH_AGAIN = AGAIN | {401, 403, 410}  # how stores answer to a signature that ended meanwhile


async def save_crate(
    connection: AsyncConnection, run_path: str, place: Path, *, progress: bool | Bar | None = None
) -> Path:
    """Waits until it is packed. The file is there whole or not at all. Raises ServiceError, StoreRefused."""
    bar, patience = bar_for(progress), Patience(connection.patience)
    ticket = await ask_for_crate(connection, run_path)
    place.parent.mkdir(parents=True, exist_ok=True)
    bar.start(place.name, ticket["size_bytes"])
    draft = draft_beside(place)
    try:
        with draft.open("wb") as target:
            while target.tell() < ticket["size_bytes"]:
                had = target.tell()
                why = await _fetch_rest(connection, ticket["download_url"], target, bar)
                if why is None:
                    break
                if target.tell() > had:
                    patience.renew()
                wait = patience.next_wait()
                if wait is None:
                    raise StoreRefused(f"{place.name} cannot be fetched: {why}")
                await sleep(wait)
                ticket = {**await ask_for_crate(connection, run_path), "size_bytes": ticket["size_bytes"]}
            if target.tell() != ticket["size_bytes"]:
                raise StoreRefused(f"{place.name} has {target.tell()} bytes; {ticket['size_bytes']} were promised.")
        draft.replace(place)
    finally:
        bar.stop()
        draft.unlink(missing_ok=True)
    return place


async def ask_for_crate(connection: AsyncConnection, run_path: str) -> dict[str, Any]:
    """{download_url, size_bytes} once it is packed, however long that takes. Raises ServiceError."""
    while True:
        ticket: dict[str, Any] = await connection.ask("GET", f"{run_path}/ro-crate")
        if ticket["status"] == "ready":
            return ticket
        await sleep(POLL_SECONDS)


async def _fetch_rest(connection: AsyncConnection, url: str, target: Any, bar: Bar) -> str | None:
    """Nothing when all came, else why not."""
    start = target.tell()
    headers = {"Range": f"bytes={start}-"} if start else {}
    try:
        async with connection.store.stream("GET", url, headers=headers) as answer:
            if answer.status_code in FETCH_AGAIN:
                return f"the object store answered {answer.status_code}"
            if answer.status_code != (206 if start else 200):
                raise StoreRefused(f"The object store answered {answer.status_code}.")
            async for piece in answer.aiter_raw():
                await in_thread(target.write, piece)
                bar.advance(len(piece))
    except httpx.TransportError as error:
        return str(error) or type(error).__name__
    return None
