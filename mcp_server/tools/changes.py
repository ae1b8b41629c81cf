"""Tools: what happened, as it happened."""

from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from changes import access
from changes.following import follow
from changes.log import find_position_before
from changes.models import ChangeType
from changes.serializers import ChangeSerializer, ChangesParams, ChangesSerializer
from mcp_server.arguments import as_query
from mcp_server.pages import count_fitting
from mcp_server.schemas import serializer_schema
from mcp_server.toolbox import Toolbox
from wire.errors import ValidationError
from wire.fields import QueryDateTime
from wire.inputs import read_query
from wire.outputs import make_presenter

tools = Toolbox()


class SinceParams(ChangesParams):
    since = QueryDateTime(required=False)


@tools.tool(access.FOLLOW, gives=serializer_schema(ChangesSerializer))
def list_changes(
    by: Caller,
    after: Annotated[
        int | None, Field(description="Only what came behind this position: `next` of the answer before.")
    ] = None,
    since: Annotated[str, Field(description="Instead of `after`: a day (YYYY-MM-DD) or date-time to begin with.")] = "",
    types: Annotated[
        list[ChangeType] | ChangeType | None,
        Field(description="Only these, such as `run.failed`, `watcher.offline`, `watcher.online`, `comment.created`."),
    ] = None,
    instrument_id: Annotated[str, Field(description="Only of this instrument.")] = "",
    limit: Annotated[int | None, Field(description="Rows, 100 when absent.")] = None,
) -> dict[str, Any]:
    """What happened to runs, files, comments, archives and watchers, the earliest first; kept for 30 days.

    Ask again with `after` = `next`: nothing is left out and nothing comes twice.
    """
    asked = read_query(
        SinceParams, as_query(after=after, since=since, types=types, instrument_id=instrument_id, limit=limit)
    )
    if (moment := asked.pop("since", None)) is not None:
        if after is not None:
            raise ValidationError(fields={"since": ["Either `after` or `since`."]})
        asked["after"] = find_position_before(moment)
    found = follow(asked, by=by)
    rows = [make_presenter(ChangeSerializer)(row) for row in found.rows]
    fitting = count_fitting(rows)
    return {"data": rows[:fitting], "next": found.next if fitting == len(rows) else rows[fitting - 1]["position"]}
