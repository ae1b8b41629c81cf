"""Tools: what instruments did."""

from dataclasses import asdict, replace
from typing import Annotated, Any, Literal

from pydantic import Field

from accounts.callers import Caller
from files.intake.reporting import update_run
from files.listing import count_statuses, list_first_files
from files.serializers import represent_file
from files.signing.serializers import SignatureSerializer, present_signature
from files.signing.signing import list_signatures
from mcp_server.arguments import Cursor, IncludeDeleted, InstrumentId, Page, PerPage, RunId, as_query
from mcp_server.run_filters import (
    DateFrom,
    DateTo,
    InstrumentIds,
    MetadataFilter,
    PartOfRunId,
    ProjectId,
    RanBy,
    Source,
    Statuses,
    Tags,
    UpdatedSince,
    Words,
    read_run_filters,
)
from mcp_server.run_rows import present_runs, run_page_schema, run_url, with_url
from mcp_server.schemas import like, list_schema, object_schema, serializer_schema, with_more
from mcp_server.toolbox import DESTRUCTIVE, IDEMPOTENT, Toolbox
from runs import access, claims, lifecycle
from runs.counting import count_runs as count_by
from runs.counting import read_grouping
from runs.eln.links import list_links
from runs.holds.rules import describe_hold, find_hold
from runs.holds.serializers import HoldSerializer
from runs.rows import represent_run
from runs.search import Sort
from runs.search import search_runs as find_runs
from runs.serializers import (
    AttributionsSerializer,
    DeletedRunSerializer,
    RestoredRunSerializer,
    RunChangeSerializer,
    RunDetailSerializer,
    TagsSerializer,
)
from runs.tags import change_tags
from wire.clock import now
from wire.inputs import read_body
from wire.lists.pagination import read_window
from wire.outputs import represent

MAX_FILES_SHOWN = 50
COUNT_SCHEMA = object_schema(
    key={"type": ["string", "null"]}, run_count={"type": "integer"}, total_size_bytes={"type": "integer"}
)
HOLD_SCHEMA = {
    **serializer_schema(HoldSerializer),
    "type": ["object", "null"],
    "description": "Null: there is none.",
}
RUN_SCHEMA = with_more(
    with_url(RunDetailSerializer),
    signatures=list_schema(serializer_schema(SignatureSerializer)),
    hold=HOLD_SCHEMA,
    files=list_schema({"type": "object"}) | {"description": f"The first {MAX_FILES_SHOWN}."},
)
COUNTS_SCHEMA = object_schema(data=list_schema(COUNT_SCHEMA), total={"type": "integer"})
tools = Toolbox()


@tools.tool(access.READ, gives=run_page_schema())
def search_runs(
    by: Caller,
    instrument_id: InstrumentIds = None,
    q: Words = "",
    search: PartOfRunId = "",
    status: Statuses = None,
    ran_by: RanBy = "",
    source: Source = None,
    date_from: DateFrom = "",
    date_to: DateTo = "",
    metadata: MetadataFilter = None,
    tag: Tags = None,
    project_id: ProjectId = "",
    updated_since: UpdatedSince = "",
    include_deleted: IncludeDeleted = False,
    sort: Annotated[Sort | None, Field(description="`acquired_at` when absent.")] = None,
    order: Annotated[Literal["asc", "desc"] | None, Field(description="`desc` when absent.")] = None,
    detail: Annotated[bool, Field(description="Rows as get_run, with metadata, tags, counts.")] = False,
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """Find runs across instruments, the newest first. Filters are combined with AND.

    A failed run's row says which file failed first, and why. Days are days of the service's time zone (see
    get_system_status for what day it is there).
    """
    window = replace(read_window(as_query(page=page, per_page=per_page, cursor=cursor)), exact_total=False)
    asked = read_run_filters(
        instrument_id=instrument_id,
        q=q,
        search=search,
        status=status,
        ranBy=ran_by,
        source=source,
        date_from=date_from,
        date_to=date_to,
        metadata=metadata,
        tag=tag,
        project_id=project_id,
        updated_since=updated_since,
        include_deleted=include_deleted,
        sort=sort,
        order=order,
        by=by,
    )
    return present_runs(find_runs(asked, window=window, by=by, at=now()), detail=detail)


@tools.tool(access.READ, gives=COUNTS_SCHEMA)
def count_runs(
    by: Caller,
    group_by: Annotated[
        str,
        Field(description="`instrument`, `status`, `person`, `day`, `tag` or `metadata.<key>`, as in metadata.method."),
    ],
    instrument_id: InstrumentIds = None,
    q: Words = "",
    search: PartOfRunId = "",
    status: Statuses = None,
    ran_by: RanBy = "",
    source: Source = None,
    date_from: DateFrom = "",
    date_to: DateTo = "",
    metadata: MetadataFilter = None,
    tag: Tags = None,
    project_id: ProjectId = "",
    updated_since: UpdatedSince = "",
    include_deleted: IncludeDeleted = False,
) -> dict[str, Any]:
    """How many runs there are, and how many bytes, by what they have in common; `total` counts each run once.

    The 200 largest groups come, the largest first; of days the latest 200. `key` is null where a run has nothing
    of the kind.
    """
    asked = read_run_filters(
        instrument_id=instrument_id,
        q=q,
        search=search,
        status=status,
        ranBy=ran_by,
        source=source,
        date_from=date_from,
        date_to=date_to,
        metadata=metadata,
        tag=tag,
        project_id=project_id,
        updated_since=updated_since,
        include_deleted=include_deleted,
        by=by,
    )
    counted = count_by(asked, group_by=read_grouping(group_by), by=by, at=now())
    return {"data": [asdict(row) for row in counted.rows], "total": counted.total}


@tools.tool(access.READ, gives=RUN_SCHEMA)
def get_run(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """One run: status, who ran it, metadata, who signed it, what holds it, its files by state, and the first 50.

    Signed (and not revoked): its metadata and raw files do not change. On hold: it is not deleted. A failed file says
    why in its error_message. All files: list_run_files. What the run shows: get_run_report. Of a file whose
    storage_class is cold only the raw bytes are away; restore_requested_at: they are on their way back.
    """
    run = lifecycle.describe_run(instrument=instrument_id, run_id=run_id, by=by)
    files = list_first_files(run, limit=MAX_FILES_SHOWN)
    described = represent_run(run) | {"own_metadata": run.caller_metadata}
    signed = [represent(SignatureSerializer, present_signature(one)) for one in list_signatures(run)]
    hold = find_hold(run)
    kept = {"signatures": signed, "hold": describe_hold(hold) if hold else None}
    shown = {"links": [asdict(link) for link in list_links(run)], "files": [represent_file(file) for file in files]}
    counts = count_statuses(run, files, limit=MAX_FILES_SHOWN)
    return {**described, "url": run_url(run), "file_status_counts": counts, **kept, **shown}


@tools.tool(access.CLAIM, gives=serializer_schema(AttributionsSerializer), annotations=IDEMPOTENT)
def claim_run(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """Claim a run for the person you act for: say that they ran it. Repeating it is safe."""
    run = claims.claim_run(instrument=instrument_id, run_id=run_id, by=by, at=now())
    return represent(AttributionsSerializer, run)


@tools.tool(access.CLAIM, gives=serializer_schema(AttributionsSerializer), annotations=IDEMPOTENT)
def unclaim_run(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """Take back the claim of the person you act for. Repeating it is safe."""
    run = claims.unclaim_run(instrument=instrument_id, run_id=run_id, by=by)
    return represent(AttributionsSerializer, run)


@tools.tool(access.CHANGE, gives=like("get_run", metadata={"type": "object"}), annotations=IDEMPOTENT)
def update_run_metadata(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    patch: Annotated[
        dict[str, Any],
        Field(description='Keys to set, null to take one away (RFC 7396): {"analyst": "Jenny", "draft": null}.'),
    ],
) -> dict[str, Any]:
    """Change single keys of a run's metadata; the others stay. What readers found in files cannot be changed."""
    asked = read_body(RunChangeSerializer, {"metadata_patch": patch})
    update_run(instrument=instrument_id, run_id=run_id, change=lifecycle.RunChange(**asked), by=by, at=now())
    run = lifecycle.describe_run(instrument=instrument_id, run_id=run_id, by=by)
    return represent_run(run) | {"url": run_url(run)}


@tools.tool(access.TAG, gives=serializer_schema(TagsSerializer), annotations=IDEMPOTENT)
def tag_run(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    add: Annotated[list[str] | None, Field(description="Tags to put on it: slugs such as `qc-passed`.")] = None,
    remove: Annotated[list[str] | None, Field(description="Tags to take off.")] = None,
) -> dict[str, Any]:
    """Put tags on a run or take some off; a run has up to 30. Answers the tags it has then. Repeating it is safe."""
    run = change_tags(instrument=instrument_id, run_id=run_id, add=add or (), remove=remove or (), by=by).run
    return {"tags": run.tags}


@tools.tool(access.DELETE, gives=serializer_schema(DeletedRunSerializer), annotations=DESTRUCTIVE)
def delete_run(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """Hide a run from lists and searches. Its files stay and restore_run brings it back. Ask before you do this."""
    deleted = lifecycle.delete_run(instrument=instrument_id, run_id=run_id, by=by, at=now())
    return represent(DeletedRunSerializer, deleted)


@tools.tool(access.DELETE, gives=serializer_schema(RestoredRunSerializer), annotations=IDEMPOTENT)
def restore_run(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """Bring a deleted run back. Restoring an active run changes nothing and says so."""
    restored = lifecycle.restore_run(instrument=instrument_id, run_id=run_id, by=by)
    return represent(RestoredRunSerializer, restored)
