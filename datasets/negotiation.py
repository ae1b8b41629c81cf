"""In which format rows are answered: as `format` says, else as Accept does, else JSON."""

import re
from collections.abc import Iterator
from datetime import datetime
from operator import itemgetter

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes

from accounts.callers import Caller
from datasets.row_formats import MEDIA_TYPES, RowFormat, stream_rows
from datasets.run_exports import export_runs
from runs.search import RunSearch
from wire.errors import NotAcceptable

STREAMED_RESPONSES = {(200, MEDIA_TYPES[form]): OpenApiTypes.BINARY for form in RowFormat if form is not RowFormat.JSON}
WEIGHT = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")
ANYTHING = {"", "*/*", "application/*"}


def choose_format(accept: str, asked: str | None) -> RowFormat:
    """What Accept names and weighs most, of equal ones the first. Raises NotAcceptable where nothing of it is there."""
    if asked is not None:
        return RowFormat(asked)
    weighed = sorted(map(_weigh, accept.split(",")), key=itemgetter(1), reverse=True)
    named = [media for media, weight in weighed if weight > 0]
    forms = {media: form for form, media in MEDIA_TYPES.items()}
    for media in named:
        if media in forms:
            return forms[media]
    if any(media in ANYTHING for media in named):
        return RowFormat.JSON
    raise NotAcceptable(f"Rows are answered as {', '.join(MEDIA_TYPES.values())}.")


def _weigh(part: str) -> tuple[str, float]:
    """A media type of Accept and its weight (RFC 9110, section 12.4.2); one that cannot be read is as none."""
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    weight = next((one.removeprefix("q=") for one in parameters if one.startswith("q=")), "1")
    return media, float(weight) if WEIGHT.fullmatch(weight) else 1.0


def answer_streamed(pieces: Iterator[bytes], form: RowFormat, *, filename: str) -> StreamingHttpResponse:
    kind = MEDIA_TYPES[form] + ("; charset=utf-8" if form is RowFormat.CSV else "")
    headers = {"Content-Disposition": f'attachment; filename="{filename}.{form}"'}
    return StreamingHttpResponse(pieces, content_type=kind, headers=headers)


def answer_export(
    asked: str | None, search: RunSearch, *, only: frozenset[str] | None = None, by: Caller, at: datetime
) -> StreamingHttpResponse | None:
    """All runs of a search in the format that a checked query names; None where it is a page of JSON.

    `only` are the members of a run that become columns. Raises ValidationError where none of them is one.
    """
    if asked in (None, RowFormat.JSON):
        return None
    form, table = RowFormat(asked), export_runs(search, only=only, by=by, at=at)
    pieces = table.lines() if form is RowFormat.NDJSON else stream_rows(table, form)
    return answer_streamed(pieces, form, filename="runs")
