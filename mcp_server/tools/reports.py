"""Tool: what a person sees on the page of a run, for an assistant: facts, tables, curves, and the picture itself."""

import base64
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Annotated, Any

from mcp.types import ContentBlock, ImageContent
from pydantic import Field

from accounts.callers import Caller
from files import access
from files.artefacts import list_artefacts
from files.choices import FileStatus, ReportKind
from files.downloads import FileIsCold, FilePurged, find_stored_file
from files.drawing.documents import NotDrawable, read_document
from files.listing import FileFilter, list_files
from files.media_types import find_inline_type
from files.models import File
from files.records import FileMissing, find_file
from files.report_items import ReportWindow, list_report_items
from files.storage import object_store
from files.storage.interface import MIB
from mcp_server.arguments import InstrumentId, RunId
from mcp_server.schemas import list_schema, object_schema, serializer_schema
from mcp_server.summaries import summarise_document
from mcp_server.toolbox import Toolbox
from runs import access as run_access
from runs.lifecycle import describe_run
from runs.models import Run
from runs.serializers import RunSerializer
from wire.outputs import represent

REPORT_KINDS = tuple(kind for kind in ReportKind if kind)
MAX_ITEMS_PER_KIND, MAX_FAILURES, MAX_ARTEFACTS_READ, MAX_SUMMARIES_PER_KIND = 10, 5, 60, 6
MAX_PICTURE_BYTES = MIB
PICTURE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/gif")
NAMED_FILES_SCHEMA = list_schema(object_schema(id={"type": "integer"}, filename={"type": "string"}))
REPORT_SCHEMA = object_schema(
    run=serializer_schema(RunSerializer),
    failures=list_schema({"type": "object"}),
    items=object_schema(
        **{str(kind): object_schema(total={"type": "integer"}, first=NAMED_FILES_SCHEMA) for kind in REPORT_KINDS}
    ),
    tables=list_schema({"type": "object"}),
    curves=list_schema({"type": "object"}),
    plates=list_schema({"type": "object"}),
    picture={"type": ["object", "null"], "description": "Which file the image that follows shows."},
)
tools = Toolbox()


@tools.tool(access.READ, also=(run_access.READ,), gives=REPORT_SCHEMA)
def get_run_report(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    file_id: Annotated[
        int | None, Field(description="Show this picture of the run, or what was made of this file; else the first.")
    ] = None,
) -> tuple[dict[str, Any], list[ContentBlock]]:
    """What a run shows: its facts, why files failed, heads of tables, extents of curves, plates, and one picture.

    The picture comes as an image. `items` names what else there is to see: call again with its file_id.
    """
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    wanted = _find_requested_file(file_id, run=run, by=by)
    artefacts = list_artefacts(instrument=instrument_id, run_id=run_id, limit=MAX_ARTEFACTS_READ, by=by)
    chosen = [one for one in artefacts if file_id in (None, one.pk, one.source_file_id)]
    items = {str(kind): _list_items(kind, instrument=instrument_id, run_id=run_id, by=by) for kind in REPORT_KINDS}
    raw = _list_at_hand([{"id": wanted.pk}] if wanted else items["image"]["first"], by=by)
    picture = _find_picture(chosen, raw)
    report = {
        "run": represent(RunSerializer, run),
        "failures": _list_failures(instrument=instrument_id, run_id=run_id, by=by),
        "items": items,
        **_summarise_artefacts(chosen, by=by),
        "picture": {"file_id": picture.pk, "filename": picture.filename} if picture else None,
    }
    return report, [_build_image_content(picture)] if picture else []


def _list_items(kind: ReportKind, *, instrument: str, run_id: str, by: Caller) -> dict[str, Any]:
    window = ReportWindow(kind=kind, limit=MAX_ITEMS_PER_KIND)
    found = list_report_items(instrument=instrument, run_id=run_id, window=window, by=by)
    return {"total": found.total, "first": [{"id": one.pk, "filename": one.filename} for one in found.items]}


def _list_failures(*, instrument: str, run_id: str, by: Caller) -> list[dict[str, Any]]:
    only = FileFilter(status=[FileStatus.FAILED])
    failed = list_files(instrument=instrument, run_id=run_id, only=only, by=by)[:MAX_FAILURES]
    return [{"file_id": one.pk, "filename": one.filename, "error_message": one.error_message} for one in failed]


def _summarise_artefacts(artefacts: Sequence[File], *, by: Caller) -> dict[str, list[Any]]:
    """At most MAX_SUMMARIES_PER_KIND of each kind."""
    found: dict[str, list[Any]] = {"tables": [], "curves": [], "plates": []}
    for artefact in artefacts:
        if artefact.content_type != "application/json":
            continue
        try:
            summary = summarise_document(read_document(artefact, by=by))
        except NotDrawable:  # too large, or a script wrote something else than it says
            continue
        if summary and len(found[summary[0]]) < MAX_SUMMARIES_PER_KIND:
            about = {"file_id": artefact.source_file_id or artefact.pk, "title": _title_of(artefact)}
            found[summary[0]].append(about | summary[1])
    return found


def _list_at_hand(items: Iterable[dict[str, Any]], *, by: Caller) -> Iterator[File]:
    """Those whose bytes are neither purged nor cold."""
    for one in items:
        with suppress(FilePurged, FileIsCold):
            yield find_stored_file(one["id"], by=by)


def _find_requested_file(file_id: int | None, *, run: Run, by: Caller) -> File | None:
    """A file of another run is refused as if it did not exist."""
    if file_id is None:
        return None
    try:
        file = find_stored_file(file_id, by=by)
    except FileIsCold:  # what was made of it is here
        file = find_file(file_id, by=by)
    if file.run_id != run.pk:
        raise FileMissing
    return file


def _find_picture(artefacts: Iterable[File], raw: Iterable[File]) -> File | None:
    """The smallest picture that processing made, else the first of the run's own that is small enough."""
    made = [one for one in artefacts if _is_picture(one)]
    if made:
        return min(made, key=lambda one: (one.size_bytes or 0, one.pk))
    return next((one for one in raw if _is_picture(one)), None)


def _is_picture(file: File) -> bool:
    return _content_type_of(file) in PICTURE_TYPES and (file.size_bytes or 0) <= MAX_PICTURE_BYTES


def _content_type_of(file: File) -> str:
    return find_inline_type(file.filename, file.content_type) or ""


def _build_image_content(file: File) -> ImageContent:
    data = base64.b64encode(_read_bytes(file)).decode()
    return ImageContent(type="image", data=data, mime_type=_content_type_of(file))


def _read_bytes(file: File) -> bytes:
    with object_store().open_range(file.storage_key or "") as source:
        return source.read()


def _title_of(file: File) -> str:
    return str(file.metadata.get("title") or file.filename)
