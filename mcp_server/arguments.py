"""The arguments of tools: described so that an assistant can fill them, read by the serializers that REST uses."""

import re
from dataclasses import dataclass
from typing import Annotated, Any
from uuid import UUID

from django.http import QueryDict
from pydantic import Field, SkipValidation, WithJsonSchema

from wire import converters
from wire.errors import NotFound


@dataclass(frozen=True)
class PathArgument:
    """Marks what REST has in its path: a value of the wrong form is 404, not 400."""

    converter: Any

    def read(self, value: Any) -> Any:
        """None is an argument that was left out, where it may be."""
        if value is None:
            return None
        text = str(value)
        if not re.fullmatch(self.converter.regex, text):
            raise NotFound
        try:
            return self.converter.to_python(text)
        except ValueError:
            raise NotFound from None


InstrumentId = Annotated[
    str,
    Field(description="Such as `hplc-2`: `id` in list_instruments."),
    PathArgument(converters.SlugConverter()),
]
RunId = Annotated[
    str,
    Field(description="`run_id` in search_runs, not the UUID."),
    PathArgument(converters.RunIdConverter()),
]
FileId = Annotated[
    int,
    SkipValidation,
    WithJsonSchema({"type": "integer"}),
    Field(description="`id` in list_run_files, get_run or search."),
    PathArgument(converters.FileIdConverter()),
]
CommentId = Annotated[
    UUID,
    SkipValidation,
    WithJsonSchema({"type": "string", "format": "uuid"}),
    Field(description="`id` in list_run_comments."),
    PathArgument(converters.UuidConverter()),
]
WatcherId = Annotated[
    UUID,
    SkipValidation,
    WithJsonSchema({"type": "string", "format": "uuid"}),
    Field(description="`id` in list_watchers."),
    PathArgument(converters.UuidConverter()),
]
Page = Annotated[int | None, Field(description="From 1; rather go on by `cursor`.")]
Cursor = Annotated[str, Field(description="`pagination.next_cursor` of the answer to go on from; else as asked then.")]
PerPage = Annotated[int | None, Field(description="Rows a page, at most 100.")]
IncludeDeleted = Annotated[bool, Field(description="Deleted ones too.")]


def as_query(**arguments: Any) -> QueryDict:
    """The arguments that were given, as a query string carries them to the serializer that reads it.

    None and an empty text are not given: assistants fill in both.
    """
    query = QueryDict(mutable=True)
    for name, value in arguments.items():
        values = value if isinstance(value, list) else [value]
        query.setlist(name, [format_query_value(item) for item in values if item not in (None, "")])
        if not query.getlist(name):
            del query[name]
    return query


def as_body(**arguments: Any) -> dict[str, Any]:
    """The arguments that were given, as a JSON body carries them."""
    return {name: value for name, value in arguments.items() if value is not None}


def format_query_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
