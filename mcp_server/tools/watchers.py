"""Tools: the agents on the instruments' computers."""

from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from mcp_server.arguments import Cursor, IncludeDeleted, Page, PerPage, WatcherId, as_query
from mcp_server.pages import present_rows
from mcp_server.schemas import like, page_schema
from mcp_server.toolbox import Toolbox
from watchers import access, events, fleet
from watchers.choices import EventType
from watchers.serializers import EventListParams, EventSerializer, WatcherListParams, WatcherSerializer
from wire.clock import now
from wire.inputs import read_query
from wire.lists.pagination import paginate, read_window
from wire.outputs import make_presenter, represent

tools = Toolbox()


@tools.tool(access.READ, gives=page_schema(WatcherSerializer))
def list_watchers(
    by: Caller,
    instrument_id: Annotated[str, Field(description="Only the watcher of this instrument.")] = "",
    offline: Annotated[bool, Field(description="Only those that are not heard.")] = False,
    include_deleted: IncludeDeleted = False,
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """The watchers, newest first. `offline` means not heard for 5 minutes: no data comes from that instrument.

    Since when it is silent: `last_heartbeat_at`.
    """
    query = as_query(
        instrument_id=instrument_id, include_deleted=include_deleted, page=page, per_page=per_page, cursor=cursor
    )
    window, asked = read_window(query), read_query(WatcherListParams, query)
    found = fleet.list_watchers(
        instrument_id=asked.get("instrument_id"),
        include_deleted=asked.get("include_deleted", False),
        offline_at=now() if offline else None,
        by=by,
    )
    return present_rows(paginate(found, window), make_presenter(WatcherSerializer))


@tools.tool(access.READ, gives=like("a row of list_watchers"))
def get_watcher(by: Caller, watcher_id: WatcherId) -> dict[str, Any]:
    """One watcher: where it runs, what it watches, when it was last heard."""
    return represent(WatcherSerializer, fleet.find_watcher(watcher_id, by=by))


@tools.tool(access.READ, gives=page_schema(EventSerializer))
def list_watcher_events(
    by: Caller,
    watcher_id: WatcherId,
    event_type: Annotated[EventType | None, Field(description="Only events of this kind.")] = None,
    since: Annotated[str, Field(description="Only events since this day or date-time, by the agent's clock.")] = "",
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """What a watcher told, newest first: starts and stops, uploads, errors with their messages."""
    query = as_query(event_type=event_type, since=since, page=page, per_page=per_page, cursor=cursor)
    window, asked = read_window(query), read_query(EventListParams, query)
    found = events.list_events(watcher_id, event_type=asked.get("event_type"), since=asked.get("since"), by=by)
    return present_rows(paginate(found, window), make_presenter(EventSerializer))
