"""Tools: the people of the workspace."""

from typing import Annotated, Any

from pydantic import Field

from accounts import access
from accounts.callers import Caller
from accounts.people import list_people as find_people
from accounts.serializers import ListedPersonSerializer, PeopleParams
from mcp_server.arguments import Cursor, Page, PerPage, as_query
from mcp_server.pages import present_rows
from mcp_server.schemas import page_schema
from mcp_server.toolbox import Toolbox
from wire.inputs import read_query
from wire.lists.pagination import paginate, window_from
from wire.outputs import make_presenter

PER_PAGE = 100
tools = Toolbox()


@tools.tool(access.ANY_CALLER, gives=page_schema(ListedPersonSerializer))
def list_people(
    by: Caller,
    search: Annotated[str, Field(description="Part of a name, in any case.")] = "",
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """The people of the lab by name: who may be meant by `ran_by`, and whom dispatch_notification reaches."""
    asked = read_query(PeopleParams, as_query(search=search, page=page, per_page=per_page, cursor=cursor))
    found = paginate(find_people(asked.get("search", "")), window_from(asked, per_page=PER_PAGE))
    return present_rows(found, make_presenter(ListedPersonSerializer))
