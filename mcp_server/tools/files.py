"""Tools: what runs left behind."""

from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from archives.access import DOWNLOAD
from archives.downloads import sign_archive_download
from archives.jobs import request_archive
from archives.models import ArchiveStatus
from archives.serializers import ArchiveDownloadParams as ArchiveParams
from archives.serializers import BuildingArchiveSerializer, ReadyArchiveSerializer
from files import access
from files.choices import FileCategory, FileStatus
from files.cold.recalls import request_run
from files.downloads import sign_download
from files.listing import FileFilter, list_files
from files.records import find_file
from files.serializers import (
    DownloadSerializer,
    FileListParams,
    ListedFileSerializer,
    RecallRequestedSerializer,
    represent_file_detail,
    represent_listed_file,
)
from files.uploads.queue import request_upload as queue_files
from files.uploads.serializers import QueuedSerializer, QueueRequestSerializer
from mcp_server.arguments import Cursor, FileId, IncludeDeleted, InstrumentId, Page, PerPage, RunId, as_query
from mcp_server.pages import present_rows
from mcp_server.schemas import like, page_schema, serializer_schema
from mcp_server.toolbox import IDEMPOTENT, Toolbox
from wire.clock import now
from wire.inputs import read_body, read_query
from wire.lists.pagination import PageParams, paginate, read_window
from wire.outputs import represent

tools = Toolbox()


@tools.tool(access.READ, gives=page_schema(ListedFileSerializer))
def list_run_files(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    status: Annotated[list[FileStatus] | FileStatus | None, Field(description="`failed` ones say why.")] = None,
    category: Annotated[
        list[FileCategory] | FileCategory | None,
        Field(description="`processed`: what the service made of `raw`."),
    ] = None,
    search: Annotated[str, Field(description="Part of the file name.")] = "",
    include_deleted: IncludeDeleted = False,
    versions: Annotated[
        str | None,
        Field(description="`all`, or `collapse`: of each path the newest."),
    ] = None,
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """The files of a run in natural order (`file2` before `file10`)."""
    query = as_query(
        status=status,
        category=category,
        search=search,
        include_deleted=include_deleted,
        versions=versions,
        page=page,
        per_page=per_page,
        cursor=cursor,
    )
    window, asked = read_window(query), read_query(FileListParams, query)
    only = FileFilter(**{name: value for name, value in asked.items() if name not in PageParams._declared_fields})
    files = list_files(instrument=instrument_id, run_id=run_id, only=only, by=by)
    return present_rows(paginate(files, window), represent_listed_file)


@tools.tool(access.READ, gives=like("a row of list_run_files"))
def get_file(by: Caller, file_id: FileId) -> dict[str, Any]:
    """One file's record: where it stands, its size and checksums, its metadata, and why it failed if it did."""
    return represent_file_detail(find_file(file_id, by=by))


@tools.tool(access.READ, gives=serializer_schema(DownloadSerializer))
def get_file_download_url(
    by: Caller,
    file_id: FileId,
    inline: Annotated[bool, Field(description="A link that shows the file, for pictures and PDF only.")] = False,
) -> dict[str, Any]:
    """A link that downloads one file, good for 15 minutes and for whoever has it. Nothing else is needed to use it."""
    return represent(DownloadSerializer, sign_download(file_id, inline=inline, by=by))


@tools.tool(DOWNLOAD, gives=serializer_schema(ReadyArchiveSerializer))
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
    return represent(ReadyArchiveSerializer, sign_archive_download(job))


@tools.tool(access.BRING_BACK, gives=serializer_schema(RecallRequestedSerializer), annotations=IDEMPOTENT)
def restore_run_files(by: Caller, instrument_id: InstrumentId, run_id: RunId) -> dict[str, Any]:
    """Have the cold files of a run brought back, so that they can be downloaded and read again.

    It takes minutes to hours; a person who asks is notified when all are there, and list_run_files shows
    storage_class `hot` again. Repeating it is safe.
    """
    asked = request_run(instrument=instrument_id, run_id=run_id, by=by, at=now())
    return represent(RecallRequestedSerializer, asked)


@tools.tool(access.UPLOAD, gives=serializer_schema(QueuedSerializer), annotations=IDEMPOTENT)
def request_upload(
    by: Caller,
    instrument_id: InstrumentId,
    run_id: RunId,
    file_ids: Annotated[list[int], Field(description="1 to 100 files of this run that are `detected`.")],
) -> dict[str, Any]:
    """Ask the instrument's watcher for files it has seen but not uploaded. All of them are queued, or none."""
    asked = read_body(QueueRequestSerializer, {"file_ids": file_ids})
    return represent(QueuedSerializer, queue_files(instrument=instrument_id, run_id=run_id, **asked, by=by, at=now()))
