"""Tools: the machines of the lab."""

from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from instruments import access, catalogue
from instruments.models import InstrumentStatus
from instruments.serializers import InstrumentDetailSerializer, InstrumentListParams, InstrumentSerializer
from mcp_server.arguments import Cursor, InstrumentId, Page, PerPage, as_query
from mcp_server.pages import present_rows
from mcp_server.schemas import like, page_schema, serializer_schema
from mcp_server.toolbox import Toolbox
from runs.access import FILTER_OPTIONS
from runs.filter_options import list_filter_options
from runs.serializers import FilterOptionsSerializer
from wire.inputs import read_query
from wire.lists.pagination import paginate, read_window
from wire.outputs import make_presenter, represent

PER_PAGE = 100
INSTRUMENT_SCHEMA = like("a row of list_instruments", run_count={"type": "integer"}, watcher_count={"type": "integer"})
tools = Toolbox()


@tools.tool(access.READ, gives=page_schema(InstrumentSerializer))
def list_instruments(
    by: Caller,
    status: Annotated[InstrumentStatus | None, Field(description="Only instruments of this status.")] = None,
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """List the lab's instruments: their ids, types and states. Start here when somebody names a machine."""
    query = as_query(status=status, page=page, per_page=per_page, cursor=cursor)
    window, asked = read_window(query, per_page=PER_PAGE), read_query(InstrumentListParams, query)
    found = catalogue.list_instruments(status=asked.get("status"), by=by)
    return present_rows(paginate(found, window), make_presenter(InstrumentSerializer))


@tools.tool(access.READ, gives=INSTRUMENT_SCHEMA)
def get_instrument(by: Caller, instrument_id: InstrumentId) -> dict[str, Any]:
    """One instrument, with the number of its runs and whether a watcher is attached."""
    return represent(InstrumentDetailSerializer, catalogue.find_instrument(instrument_id, by=by))


@tools.tool(FILTER_OPTIONS, gives=serializer_schema(FilterOptionsSerializer))
def get_filter_options(by: Caller, instrument_id: InstrumentId) -> dict[str, Any]:
    """The metadata keys and values of an instrument's runs, the most frequent first.

    Look here before filtering search_runs by metadata: keys and values differ from instrument to instrument.
    """
    return {"data": list_filter_options(instrument_id, by=by)}
