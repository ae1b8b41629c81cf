"""Tools: short messages to people."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

from accounts.callers import Caller
from accounts.people import identify_people
from mcp_server.arguments import as_body
from mcp_server.schemas import serializer_schema
from mcp_server.toolbox import IDEMPOTENT, Toolbox
from notifications import access
from notifications.dispatch import RunLink, dispatch_message
from notifications.serializers import DispatchedSerializer, DispatchSerializer
from wire.clock import now
from wire.inputs import read_body
from wire.outputs import represent

tools = Toolbox()


class LinkedRun(BaseModel):
    """The run that the message is about."""

    instrument_id: str
    run_id: str


@tools.tool(access.DISPATCH, gives=serializer_schema(DispatchedSerializer), annotations=IDEMPOTENT)
def dispatch_notification(
    by: Caller,
    message: Annotated[str, Field(description="1 to 2,000 characters.")],
    users: Annotated[list[str] | None, Field(description="1 to 100 people, by their names or UUIDs.")] = None,
    user_ids: Annotated[list[str] | None, Field(description="Or by UUIDs alone; unknown ones are skipped.")] = None,
    run: Annotated[LinkedRun | None, Field(description="The run it is about.")] = None,
) -> dict[str, Any]:
    """Send a short message to people of the lab. An exact repeat of an unread message is skipped."""
    link = run.model_dump() if run else None
    asked = read_body(DispatchSerializer, as_body(user_ids=user_ids, users=users, message=message, run=link))
    about = RunLink(**asked["run"]) if asked.get("run") else None
    named = identify_people(asked.get("users", ()), parameter="users")
    people = [*asked.get("user_ids", ()), *named]
    done = dispatch_message(user_ids=people, message=asked["message"], run=about, by=by, at=now())
    return represent(DispatchedSerializer, done)
