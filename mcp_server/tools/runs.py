"""Tools: what instruments did."""

from typing import Annotated, Any, Literal

from pydantic import Field

from accounts.callers import Caller
from files.listing import count_statuses, list_first_files
from files.serializers import represent_file
from mcp_server.arguments import IncludeDeleted, InstrumentId, Page, PerPage, RunId, as_query
from mcp_server.schemas import page_schema, serializer_schema
from mcp_server.toolbox import DESTRUCTIVE, IDEMPOTENT, Toolbox
from runs import access, claims, lifecycle
from runs.models import RunSource
from runs.search import Sort
from runs.search import search_runs as find_runs
from runs.serializers import (
    AttributionsSerializer,
    DeletedRunSerializer,
    RestoredRunSerializer,
    RunDetailSerializer,
    RunSerializer,
    read_run_search,
)
from runs.status import RunStatus
from wire.clock import now
from wire.outputs import make_presenter, represent
from wire.pagination import present_page, read_window

MAX_FILES_SHOWN = 50
tools = Toolbox()


@tools.tool(access.READ, gives=page_schema(RunSerializer))
def search_runs(
    by: Caller,
    instrument_id: Annotated[
        list[str] | str | None, Field(description="One instrument's id or several; all instruments when absent.")
    ] = None,
    search: Annotated[str, Field(description="Part of the run_id, in any case.")] = "",
    status: Annotated[
        list[RunStatus] | RunStatus | None,
        Field(
            description="One status or several. `failed`: a file could not be processed; `stalled`: it takes too long."
        ),
    ] = None,
    ran_by: Annotated[
        str, Field(description="A person's name or UUID, `me` (when you act for a person) or `unattributed`.")
    ] = "",
    source: Annotated[RunSource | None, Field(description="Who reported the run.")] = None,
    date_from: Annotated[str, Field(description="First day (YYYY-MM-DD) or date-time with Z or an offset.")] = "",
    date_to: Annotated[
        str, Field(description="Last day or date-time, inclusive. For today: the same day as date_from.")
    ] = "",
    metadata: Annotated[
        dict[str, str | int | float | bool] | None,
        Field(description='Exact values by key, all of which must hold, such as {"analyst": "Jenny"}.'),
    ] = None,
    updated_since: Annotated[str, Field(description="Only runs that changed since this day or date-time.")] = "",
    include_deleted: IncludeDeleted = False,
    sort: Annotated[Sort | None, Field(description="`acquired_at` when absent.")] = None,
    order: Annotated[Literal["asc", "desc"] | None, Field(description="`desc`, the newest first, when absent.")] = None,
    page: Page = None,
    per_page: PerPage = None,
) -> dict[str, Any]:
    """Find runs across instruments, the newest first. Filters are combined with AND.

    Days are days of the service's time zone (see get_system_status for what day it is there).
    """
    terms: dict[str, Any] = {f"metadata.{key}": value for key, value in (metadata or {}).items()}
    query = as_query(
        instrument_id=instrument_id,
        search=search,
        status=status,
        ranBy=ran_by,
        source=source,
        date_from=date_from,
        date_to=date_to,
        updated_since=updated_since,
        include_deleted=include_deleted,
        sort=sort,
        order=order,
        page=page,
        per_page=per_page,
        **terms,
    )
    window = read_window(query)
    found = find_runs(read_run_search(query, by=by), window=window, by=by, at=now())
    return present_page(found, make_presenter(RunSerializer))


@tools.tool(access.READ, gives=serializer_schema(RunDetailSerializer))
def get_run(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """One run: status, who ran it, metadata, how many files are in each state, and the first 50 files.

    A failed file says why in its error_message. All files: list_run_files. What the run shows: get_run_report.
    """
    run = lifecycle.describe_run(instrument=instrument_id, run_id=run_id, by=by)
    files = [represent_file(file) for file in list_first_files(run, limit=MAX_FILES_SHOWN)]
    described = represent(RunSerializer, run) | {"own_metadata": run.caller_metadata}
    return {**described, "file_status_counts": count_statuses(run), "files": files}


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
