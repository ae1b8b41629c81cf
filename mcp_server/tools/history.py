"""Tools: who changed what."""

from typing import Annotated, Any

from pydantic import Field
from rest_framework import serializers

from accounts.callers import Caller
from mcp_server.arguments import Cursor, InstrumentId, PerPage, RunId, as_query
from mcp_server.pages import present_rows
from mcp_server.schemas import page_schema
from mcp_server.toolbox import Toolbox
from overview import access
from overview.history import read_instrument_history, read_run_history
from overview.serializers import HistoryEntrySerializer
from wire.fields import QueryDateTime
from wire.inputs import read_query
from wire.lists.pagination import read_window
from wire.outputs import make_presenter

tools = Toolbox()


class SinceParams(serializers.Serializer[Any]):
    since = QueryDateTime(required=False)


@tools.tool(access.RUN_HISTORY, gives=page_schema(HistoryEntrySerializer))
def get_history(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: Annotated[RunId | None, Field(description="A run's `run_id`; the instrument's own when absent.")] = None,
    since: Annotated[str, Field(description="Only changes since this day (YYYY-MM-DD) or date-time.")] = "",
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """Who changed what of a run, with its files, claims and comments, or of an instrument; the latest first."""
    window = read_window(as_query(per_page=per_page, cursor=cursor))
    begin = read_query(SinceParams, as_query(since=since)).get("since")
    if run_id is None:
        access.INSTRUMENT_HISTORY.check(by)
        page = read_instrument_history(instrument_id, window=window, since=begin, by=by)
    else:
        page = read_run_history(instrument=instrument_id, run_id=run_id, window=window, since=begin, by=by)
    return present_rows(page, make_presenter(HistoryEntrySerializer))
