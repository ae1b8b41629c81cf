"""Tools: what people and scripts say about a run."""

import base64
import binascii
from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from files.pictures.comment_pictures import NoPicture, add_comment_picture
from files.pictures.serializers import CommentPictureSerializer, represent_picture
from mcp_server.arguments import CommentId, Cursor, InstrumentId, Page, PerPage, RunId, as_query
from mcp_server.pages import present_rows
from mcp_server.schemas import like, page_schema, serializer_schema
from mcp_server.toolbox import ADDITIVE, DESTRUCTIVE, IDEMPOTENT, Toolbox
from runs import access
from runs.comments import discussion
from runs.comments.serializers import CommentBodySerializer, CommentSerializer, DeletedCommentSerializer
from wire.clock import now
from wire.inputs import read_body
from wire.lists.pagination import paginate, read_window
from wire.outputs import make_presenter, represent

CommentBody = Annotated[
    str, Field(description="Markdown, 1 to 10,000 characters. It carries the name of whom you act for.")
]
PictureBytes = Annotated[
    str, Field(max_length=900_000, description="A PNG or JPEG in base64, of at most 675,000 bytes; REST takes 10 MiB.")
]
PictureName = Annotated[str, Field(max_length=1_000, description="What is read in its place, such as Gel of day 3.")]
tools = Toolbox()


@tools.tool(access.READ, gives=page_schema(CommentSerializer))
def list_run_comments(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """The comments of a run, oldest first."""
    window = read_window(as_query(page=page, per_page=per_page, cursor=cursor))
    found = discussion.list_comments(instrument=instrument_id, run_id=run_id, by=by)
    return present_rows(paginate(found, window), make_presenter(CommentSerializer))


@tools.tool(access.COMMENT, gives=like("a row of list_run_comments"), annotations=ADDITIVE)
def add_run_comment(by: Caller, instrument_id: InstrumentId, run_id: RunId, body: CommentBody) -> dict[str, Any]:
    """Say something about a run. Everybody in the lab can read it."""
    asked = read_body(CommentBodySerializer, {"body": body})
    return represent(
        CommentSerializer, discussion.add_comment(instrument=instrument_id, run_id=run_id, **asked, by=by, at=now())
    )


@tools.tool(access.COMMENT, gives=serializer_schema(CommentPictureSerializer), annotations=IDEMPOTENT)
def add_run_comment_picture(
    by: Caller, instrument_id: InstrumentId, run_id: RunId, picture: PictureBytes, name: PictureName = ""
) -> dict[str, Any]:
    """Store a picture for comments of a run. Then say the answered Markdown in a comment, else nobody sees it."""
    data = _decode(picture)
    file = add_comment_picture(instrument=instrument_id, run_id=run_id, data=data, by=by, at=now())
    return represent_picture(file, name=name)


def _decode(picture: str) -> bytes:
    try:
        return base64.b64decode(picture, validate=True)
    except (binascii.Error, ValueError):
        raise NoPicture("It is no base64.") from None


@tools.tool(access.COMMENT, gives=like("a row of list_run_comments"), annotations=IDEMPOTENT)
def edit_run_comment(
    by: Caller, instrument_id: InstrumentId, run_id: RunId, comment_id: CommentId, body: CommentBody
) -> dict[str, Any]:
    """Change a comment of one's own. Comments of others cannot be changed."""
    asked = read_body(CommentBodySerializer, {"body": body})
    edited = discussion.edit_comment(comment_id, instrument=instrument_id, run_id=run_id, **asked, by=by, at=now())
    return represent(CommentSerializer, edited)


@tools.tool(access.COMMENT, gives=serializer_schema(DeletedCommentSerializer), annotations=DESTRUCTIVE)
def delete_run_comment(by: Caller, instrument_id: InstrumentId, run_id: RunId, comment_id: CommentId) -> dict[str, Any]:
    """Take a comment of one's own away. It cannot be brought back."""
    deleted = discussion.delete_comment(comment_id, instrument=instrument_id, run_id=run_id, by=by, at=now())
    return represent(DeletedCommentSerializer, deleted)
