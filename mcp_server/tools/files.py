"""Tools: what runs left behind."""

from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from archives.access import DOWNLOAD
from archives.downloads import present_archive
from archives.jobs import request_archive
from archives.models import ArchiveStatus
from archives.serializers import BuildingArchiveSerializer, ReadyArchiveSerializer
from archives.serializers import DownloadParams as ArchiveParams
from files import access
from files.downloads import sign_download
from files.listing import FileFilter, list_files
from files.models import FileCategory, FileStatus
from files.records import find_file
from files.serializers import (
    DownloadSerializer,
    FileListParams,
    FileSerializer,
    QueuedSerializer,
    QueueRequestSerializer,
    file_row,
)
from files.upload_queue import request_upload as queue_files
from mcp_server.arguments import FileId, IncludeDeleted, InstrumentId, Page, PerPage, RunId, as_query
from mcp_server.shapes import page_shape, shape_of
from mcp_server.tooling import REPEATS, Toolbox
from wire.clock import now
from wire.inputs import read_body, read_query
from wire.outputs import represent
from wire.pagination import page_answer, page_of, read_window

ARCHIVE = shape_of(ReadyArchiveSerializer) | {"required": ["status", "job_id"]}
tools = Toolbox()


@tools.tool(access.READ, gives=page_shape(FileSerializer))
def list_run_files(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    status: Annotated[
        list[FileStatus] | FileStatus | None, Field(description="One status or several. `failed` ones say why.")
    ] = None,
    category: Annotated[
        list[FileCategory] | FileCategory | None,
        Field(description="`raw`: the instrument's own; `processed`: what the service made of them."),
    ] = None,
    search: Annotated[str, Field(description="Part of the file name, in any case.")] = "",
    include_deleted: IncludeDeleted = False,
    page: Page = None,
    per_page: PerPage = None,
) -> dict[str, Any]:
    """The files of a run in natural order (`file2` before `file10`)."""
    query = as_query(
        status=status, category=category, search=search, include_deleted=include_deleted, page=page, per_page=per_page
    )
    window, asked = read_window(query), read_query(FileListParams, query)
    only = FileFilter(**{name: value for name, value in asked.items() if name not in ("page", "per_page")})
    files = list_files(instrument=instrument_id, run_id=run_id, only=only, by=by)
    return page_answer(page_of(files, window), file_row)


@tools.tool(access.READ, gives=shape_of(FileSerializer))
def get_file(by: Caller, file_id: FileId) -> dict[str, Any]:
    """One file's record: where it stands, its size and checksums, its metadata, and why it failed if it did."""
    return file_row(find_file(file_id, by=by))


@tools.tool(access.READ, gives=shape_of(DownloadSerializer))
def get_file_download_url(
    by: Caller,
    file_id: FileId,
    inline: Annotated[bool, Field(description="A link that shows the file, for pictures and PDF only.")] = False,
) -> dict[str, Any]:
    """A link that downloads one file, good for 15 minutes and for whoever has it. Nothing else is needed to use it."""
    return represent(DownloadSerializer, sign_download(file_id, inline=inline, by=by))


@tools.tool(DOWNLOAD, gives=ARCHIVE)
def get_run_archive(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    file_ids: Annotated[list[int] | None, Field(description="Only these files; the whole run when absent.")] = None,
) -> dict[str, Any]:
    """All files of a run, or some, as one ZIP.

    The first call starts building and answers status `building`; call again after a few seconds until the status is
    `ready` and download_url is there. The link is good for 15 minutes.
    """
    named = as_query(file_ids=",".join(map(str, file_ids)) if file_ids is not None else None)
    asked = read_query(ArchiveParams, named)
    job = request_archive(instrument=instrument_id, run_id=run_id, file_ids=asked.get("file_ids"), by=by, at=now())
    if job.status == ArchiveStatus.BUILDING:
        return represent(BuildingArchiveSerializer, {"status": job.status, "job_id": job.pk})
    return represent(ReadyArchiveSerializer, present_archive(job))


@tools.tool(access.UPLOAD, gives=shape_of(QueuedSerializer), annotations=REPEATS)
def request_upload(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    file_ids: Annotated[list[int], Field(description="1 to 100 files of this run that are `detected`.")],
) -> dict[str, Any]:
    """Ask the instrument's watcher for files it has seen but not uploaded. All of them are queued, or none."""
    asked = read_body(QueueRequestSerializer, {"file_ids": file_ids})
    return represent(QueuedSerializer, queue_files(instrument=instrument_id, run_id=run_id, **asked, by=by, at=now()))
