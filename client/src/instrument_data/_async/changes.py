"""What happens in the laboratory, each event once and in order; `position` is where to go on from."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from instrument_data._async.waiting import sleep
from instrument_data.errors import ServiceAway
from instrument_data.filters import Params
from instrument_data.records import Change
from instrument_data.retries import Patience
from instrument_data.server_events import EventReader

if TYPE_CHECKING:
    from instrument_data._async.connection import AsyncConnection

CHANGES = "/changes"
PAGE = "1000"
EVENTS = "text/event-stream"
PAUSE_SECONDS = 1.0  # before a stream that ended is opened again
SILENCE_SECONDS = 50.0  # the service gives a sign of life every fifteen
OnPosition = Callable[[str], None]
LISTENING = httpx.Timeout(60.0, connect=10.0, read=SILENCE_SECONDS)


class Heard(NamedTuple):
    """How far the log was told, and what stands there; None is a sign of life, where nothing is for this listener."""

    place: str
    change: Change | None


async def read_changes(
    connection: AsyncConnection, params: Params, after: str | None, *, on_position: OnPosition | None = None
) -> AsyncIterator[Change]:
    """From a position up to now. Raises Gone, with `details["oldest"]`, for one that is no longer kept."""
    told = after
    async for heard in _ask(connection, params, after):
        if heard.change is not None:
            yield heard.change
        elif on_position is not None and heard.place != told:
            on_position(heard.place)
        told = heard.place


async def read_position(connection: AsyncConnection) -> str:
    return str((await _page(connection, [], "now"))["next"])


async def watch_changes(
    connection: AsyncConnection,
    params: Params,
    after: str | None,
    *,
    poll: float | None,
    on_position: OnPosition | None = None,
) -> AsyncIterator[Change]:
    """Without end, by server-sent events, or by asking every `poll` seconds where a proxy holds these back."""
    place = str((await _page(connection, params, after or "now"))["next"]) if after in (None, "now") else str(after)
    patience = Patience(connection.patience)
    while True:
        source = _ask(connection, params, place) if poll else _listen(connection, params, place)
        wait = poll or PAUSE_SECONDS
        try:
            async for heard in source:
                patience = Patience(connection.patience)
                if heard.change is not None:
                    yield heard.change
                elif on_position is not None and heard.place != place:
                    on_position(heard.place)
                place = heard.place
        except ServiceAway:
            longer = patience.next_wait()
            if longer is None:
                raise
            wait = longer
        await sleep(wait)


async def _ask(connection: AsyncConnection, params: Params, after: str | None) -> AsyncIterator[Heard]:
    """Page after page, up to now."""
    while True:
        page = await _page(connection, params, after)
        for row in page["data"]:
            yield Heard(str(row["position"]), Change(row))
        before, after = after, str(page["next"])
        yield Heard(after, None)
        if not page["data"] or after == before:
            return


async def _listen(connection: AsyncConnection, params: Params, place: str) -> AsyncIterator[Heard]:
    """Until the connection ends. What was not heard whole is sent again after `place`."""
    reader, headers = EventReader(), {"Last-Event-ID": place}
    asked = [*params, ("after", place)]
    async with connection.open(
        "GET", CHANGES, params=asked, accept=EVENTS, headers=headers, timeout=LISTENING
    ) as answer:
        async for line in answer.aiter_lines():
            told = reader.take(line)
            yield Heard(reader.last_id or place, None if told is None else Change(told))


async def _page(connection: AsyncConnection, params: Params, after: str | None) -> dict[str, Any]:
    place = [] if after is None else [("after", after)]
    return await connection.ask("GET", CHANGES, params=[*params, *place, ("limit", PAGE)], needs="next")
