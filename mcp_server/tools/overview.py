"""Tools: what looks across everything."""

from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from mcp_server.arguments import as_query
from mcp_server.schemas import object_schema, serializer_schema
from mcp_server.toolbox import Toolbox
from overview import access
from overview.search import Group, search_everything
from overview.serializers import FoundSerializer, SearchParams, SystemStatusSerializer, WhoamiSerializer
from overview.system_status import read_status
from overview.whoami import describe_caller
from wire.clock import now
from wire.inputs import read_query
from wire.outputs import represent

CLIENT_SCHEMA = object_schema(id={"type": "string"}, name={"type": "string"}) | {"type": ["object", "null"]}
WHOAMI_SCHEMA = serializer_schema(WhoamiSerializer)
WHOAMI_SCHEMA["properties"]["client"] = CLIENT_SCHEMA
tools = Toolbox()


@tools.tool(access.SEARCH, gives=serializer_schema(FoundSerializer))
def search(
    by: Caller,
    q: Annotated[str, Field(description="Part of a name or text, 2 to 200 characters, in any case.")],
    scope: Annotated[Group | None, Field(description="Only this group, 25 of it instead of 5 of each.")] = None,
) -> dict[str, Any]:
    """Find runs, files, instruments, comments and people by a part of their name or text, wherever they are."""
    asked = read_query(SearchParams, as_query(q=q, scope=scope))
    group = Group(asked["scope"]) if "scope" in asked else None
    found = search_everything(asked["q"], group=group, by=by, at=now())
    return FoundSerializer(found, context={"at": now()}).data


@tools.tool(access.STATUS, gives=serializer_schema(SystemStatusSerializer))
def get_system_status(by: Caller) -> dict[str, Any]:
    """How the service does: its time and time zone, watchers offline, runs failed or stalled, jobs that wait."""
    return represent(SystemStatusSerializer, read_status(by=by, at=now()))


@tools.tool(access.WHOAMI, gives=WHOAMI_SCHEMA)
def whoami(by: Caller) -> dict[str, Any]:
    """For whom you act, through which client, and with which scopes."""
    client = {"id": by.client.id, "name": by.client.name} if by.client else None
    return {**represent(WhoamiSerializer, describe_caller(by)), "client": client}
