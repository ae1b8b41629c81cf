# Made by client/make_sync.py from _sync/changes.py: change that one.
"""What happens in the laboratory, each event once and in order; `position` is where to go on from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from instrument_data._sync.waiting import sleep
from instrument_data.errors import ServiceAway
from instrument_data.filters import Params
from instrument_data.records import Change
from instrument_data.retries import Patience
from instrument_data.server_events import EventReader

if TYPE_CHECKING:
    from instrument_data._sync.connection import Connection

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


def read_changes(
    connection: Connection, params: Params, after: str | None, *, on_position: OnPosition | None = None
) -> Iterator[Change]:
    """From a position up to now. Raises Gone, with `details["oldest"]`, for one that is no longer kept."""
    told = after
    for heard in _ask(connection, params, after):
        if heard.change is not None:
            yield heard.change
        elif on_position is not None and heard.place != told:
            on_position(heard.place)
        told = heard.place


def read_position(connection: Connection) -> str:
    return str((_page(connection, [], "now"))["next"])


def watch_changes(
    connection: Connection,
    params: Params,
    after: str | None,
    *,
    poll: float | None,
    on_position: OnPosition | None = None,
) -> Iterator[Change]:
    """Without end, by server-sent events, or by asking every `poll` seconds where a proxy holds these back."""
    place = str((_page(connection, params, after or "now"))["next"]) if after in (None, "now") else str(after)
    patience = Patience(connection.patience)
    while True:
        source = _ask(connection, params, place) if poll else _listen(connection, params, place)
        wait = poll or PAUSE_SECONDS
        try:
            for heard in source:
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
        sleep(wait)


def _ask(connection: Connection, params: Params, after: str | None) -> Iterator[Heard]:
    """Page after page, up to now."""
    while True:
        page = _page(connection, params, after)
        for row in page["data"]:
            yield Heard(str(row["position"]), Change(row))
        before, after = after, str(page["next"])
        yield Heard(after, None)
        if not page["data"] or after == before:
            return


def _listen(connection: Connection, params: Params, place: str) -> Iterator[Heard]:
    """Until the connection ends. What was not heard whole is sent again after `place`."""
    reader, headers = EventReader(), {"Last-Event-ID": place}
    asked = [*params, ("after", place)]
    with connection.open("GET", CHANGES, params=asked, accept=EVENTS, headers=headers, timeout=LISTENING) as answer:
        for line in answer.iter_lines():
            told = reader.take(line)
            yield Heard(reader.last_id or place, None if told is None else Change(told))


def _page(connection: Connection, params: Params, after: str | None) -> dict[str, Any]:
    place = [] if after is None else [("after", after)]
    return connection.ask("GET", CHANGES, params=[*params, *place, ("limit", PAGE)], needs="next")
