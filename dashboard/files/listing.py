"""The files of a run as a table, and what is done with those that were picked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import unquote, urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import ANY_CALLER
from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.files.icons import icon_of
from dashboard.files.read_as import READ_AS, list_candidates, may_choose_type, read_as_chosen
from dashboard.files.report_viewer import find_shown_items
from dashboard.fragments import build_address, push_address
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.origins import page_before
from dashboard.parameters import MAX_SELECTED, read_window
from dashboard.reasons import with_stated_reason
from files import access
from files.changes import dismiss_file
from files.choices import NOT_STORED_STATUSES, FileCategory, FileStatus, StorageClass
from files.cold.recalls import describe_cold_files, request_file, request_run
from files.listing import FileFilter, VersionsListed, count_later_versions, group_versions, list_files
from files.models import File
from files.pictures.comment_pictures import is_comment_picture
from files.uploads.queue import request_upload
from processing.access import REPROCESS_FILE
from processing.requests import reprocess_file
from runs.addresses import path_of_run
from runs.lifecycle import describe_run, find_run
from runs.models import Run
from wire.clock import now
from wire.errors import NotFound, ServiceError, ValidationError
from wire.lists.pagination import Page, Window, paginate

PER_PAGE, MAX_VERSIONS_SHOWN, MAX_WARNINGS_SHOWN = 50, 20, 3
FILE_TABLE_PARAMETERS = (
    "name",
    "type",
    "state",
    "versions",
    "page",
)  # what of the run page's address is about its files
NO_REASON = "It could not be read, and no reason was given."


@dataclass(frozen=True)
class FileRow:
    """One file as the table shows it."""

    file: File
    icon: str
    note: str
    is_bad: bool
    allows: str
    version_count: int = 1
    is_at_hand: bool = False  # its bytes can be downloaded at once
    is_degraded: bool = False  # read, but as a plain table only
    candidates: Sequence[tuple[str, str]] = ()  # names and titles of the types that claim it, for who may choose
    shown_item: int | None = None  # of the run's report, that shows it
    versions: Sequence[File] = ()  # the newest of them, this one included, where the row stands for several


@require_safe
@page(access.READ)
def files_fragment(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """The table alone, for htmx; the address that shows the same is the run's page."""
    by = caller_of_page(request)
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    url, query = path_of_run(instrument_id, run_id), drop_empty_parameters(request.GET)
    shown = {"run": run, "url": url, "at": now(), "zone": run.instrument.time_zone, **files_of(run, query, by=by)}
    response = render(request, "files/_files.html", shown)
    push_address(response, request, build_address(request, url, own=FILE_TABLE_PARAMETERS))
    return response


def files_of(run: Run, query: QueryDict, *, by: Caller) -> dict[str, Any]:
    """One page of the files that the query asks for; values it does not know ask for nothing."""
    later_versions = count_later_versions(run)
    only = _read_filter(query, has_versions=later_versions > 0)
    found = _read_page(run, only, read_window(query, per_page=PER_PAGE), later_versions=later_versions, by=by)
    return {
        "files": Page(_build_rows(found.rows, run=run, by=by), found.window, found.total),
        "file_query": query,
        "fragment": f"{path_of_run(run.instrument_id, run.run_id)}/files",
        "processed": run.files.filter(category=FileCategory.PROCESSED, deleted_at__isnull=True).count(),
        "states": list(FileStatus),
        "has_versions": later_versions > 0,
        "cold": describe_cold_files(run),
        "is_narrowed": any(query.get(name) for name in ("type", "state", "name")),
    }


def _read_filter(query: QueryDict, *, has_versions: bool) -> FileFilter:
    """Versions are one row, unless all are asked for, or those of a status, which the newest may not have."""
    category, status = query.get("type") or FileCategory.RAW, query.get("state", "")
    collapses = has_versions and status not in FileStatus.values and query.get("versions") != VersionsListed.ALL
    return FileFilter(
        category=[FileCategory(category)] if category in FileCategory.values else [],
        status=[FileStatus(status)] if status in FileStatus.values else [],
        search=query.get("name", "").replace("\0", "")[:255],
        versions=VersionsListed.COLLAPSE if collapses else VersionsListed.ALL,
    )


def _read_page(run: Run, only: FileFilter, window: Window, *, later_versions: int, by: Caller) -> Page[File]:
    """The count of a run's raw files stands in the run; counting 100,000 takes a fifth of a second."""
    files = list_files(instrument=run.instrument_id, run_id=run.run_id, only=only, by=by)
    if replace(only, versions=VersionsListed.ALL) != FileFilter(category=[FileCategory.RAW]):
        return paginate(files, window)
    total = run.file_count - (later_versions if only.versions == VersionsListed.COLLAPSE else 0)
    rows = list(files[window.start : window.stop]) if window.start < total else []
    return Page(rows, window, total)


def _build_rows(files: Sequence[File], *, run: Run, by: Caller) -> list[FileRow]:
    several = [file for file in files if getattr(file, "version_count", 1) > 1]
    versions = group_versions(several, limit=MAX_VERSIONS_SHOWN) if several else {}
    shown = find_shown_items(run, files) if files else {}
    rows = [row_of(file, run=run) for file in files]
    if not may_choose_type(by) or run.deleted_at is not None:
        rows = [replace(row, candidates=()) for row in rows]
    return [
        replace(
            row,
            shown_item=shown.get(row.file.pk),
            version_count=getattr(row.file, "version_count", 1),
            versions=versions.get(row.file.version_of_id or row.file.pk, ()),
        )
        for row in rows
    ]


def row_of(file: File, *, run: Run) -> FileRow:
    waits = file.status in NOT_STORED_STATUSES
    note = file.error_message or " ".join(file.warnings[:MAX_WARNINGS_SHOWN])
    if file.status == FileStatus.DETECTED:
        note = note or "Stays on the instrument's computer until it is uploaded or asked for."
    elif file.status == FileStatus.UPLOAD_REQUESTED:
        note = note or "Asked for; the watcher brings it when it calls next."
    elif file.status == FileStatus.FAILED:
        note = note or NO_REASON
    is_read = file.category == FileCategory.RAW and not file.is_placeholder
    allows = ["dismiss", "ask"] if waits else ["download", *(["reprocess"] if is_read else [])]
    if is_comment_picture(file):
        allows = ["download", "dismiss"]
    if file.storage_class == StorageClass.COLD:
        allows = [] if file.restore_requested_at else ["restore"]
    if file.purged_at is not None:
        allows = []
    if run.deleted_at is not None:
        allows = [one for one in allows if one == "download"]
    is_completed = file.status == FileStatus.COMPLETED
    is_at_hand = file.purged_at is None and file.storage_class == StorageClass.HOT
    return FileRow(
        file,
        icon_of(file),
        note,
        file.status == FileStatus.FAILED,
        " ".join(allows),
        is_at_hand=is_at_hand and file.uploaded_at is not None,
        is_degraded=is_completed and file.is_degraded,
        candidates=list_candidates(file) if is_completed and is_at_hand else (),
    )


@require_POST
@page(ANY_CALLER)
@with_stated_reason
def act_on_files(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Download, ask for, or dismiss the picked files of a run."""
    picked = [
        int(one)
        for one in request.POST.getlist("file")[:MAX_SELECTED]
        if one.isascii() and one.isdigit() and len(one) <= 18
    ]
    url = path_of_run(instrument_id, run_id)
    match request.POST.get("do"):
        case "download" if len(picked) == 1:
            return HttpResponseRedirect(f"/api/v1/files/{picked[0]}/download")
        case "download":
            return HttpResponseRedirect(f"{url}/archive?{urlencode({'file_ids': ','.join(map(str, picked))})}")
        case "ask":
            request_selected(request, instrument_id, run_id, picked)
        case "reprocess":
            reprocess_selected(request, instrument_id, run_id, picked)
        case "restore":
            restore_selected(request, instrument_id, run_id, picked)
        case "restore-all":
            restore_cold_run(request, instrument_id, run_id)
        case "dismiss":
            dismiss_selected(request, instrument_id, run_id, picked)
        case str(asked) if found := READ_AS.fullmatch(asked):
            read_as_chosen(request, instrument_id, run_id, int(found["file"]), found["type"])
        case _:
            raise ValidationError(fields={"do": ["There is no such action."]})
    return HttpResponseRedirect(f"{find_table_address(request, url)}#files")


def find_table_address(request: HttpRequest, url: str) -> str:
    """The run's page as the table stood there: with its filters, and its page of many."""
    before = page_before(request)
    return before if unquote(urlsplit(before).path) == unquote(url) else url


def request_selected(request: HttpRequest, instrument_id: str, run_id: str, picked: list[int]) -> None:
    by = caller_of_page(request)
    access.REQUEST_UPLOAD.check(by)
    try:
        queued = request_upload(instrument=instrument_id, run_id=run_id, file_ids=picked, by=by, at=now())
    except (ValidationError, NotFound) as error:
        add_notice(request, Notice(error.message, is_bad=True))
        return
    when = "The watcher is asked" if queued.watcher_online else "The watcher is offline; it will be asked when it calls"
    add_notice(request, Notice(f"{when}: {queued.files_queued} file{'s' if queued.files_queued != 1 else ''}."))


def dismiss_selected(request: HttpRequest, instrument_id: str, run_id: str, picked: list[int]) -> None:
    by, at = caller_of_page(request), now()
    access.DISMISS.check(by)
    files = select_files_of_run(instrument_id, run_id, picked, by=by)
    _apply_to_each(request, [partial(dismiss_file, file, by=by, at=at) for file in files], "dismissed")


def reprocess_selected(request: HttpRequest, instrument_id: str, run_id: str, picked: list[int]) -> None:
    by, at = caller_of_page(request), now()
    REPROCESS_FILE.check(by)
    files = select_files_of_run(instrument_id, run_id, picked, by=by)
    _apply_to_each(request, [partial(reprocess_file, file, by=by, at=at) for file in files], "being read again")


def restore_selected(request: HttpRequest, instrument_id: str, run_id: str, picked: list[int]) -> None:
    by, at = caller_of_page(request), now()
    access.BRING_BACK.check(by)
    files = select_files_of_run(instrument_id, run_id, picked, by=by)
    _apply_to_each(request, [partial(request_file, file, by=by, at=at) for file in files], "being brought back")


def restore_cold_run(request: HttpRequest, instrument_id: str, run_id: str) -> None:
    by = caller_of_page(request)
    access.BRING_BACK.check(by)
    try:
        asked = request_run(instrument=instrument_id, run_id=run_id, by=by, at=now())
    except ServiceError as error:
        add_notice(request, Notice(error.message, is_bad=True))
        return
    told = f"{asked.files} file{'s' if asked.files != 1 else ''} on the way back. You are told when all are here."
    add_notice(request, Notice(told if asked.files else "Nothing of this run is in cold storage."))


def select_files_of_run(instrument_id: str, run_id: str, picked: list[int], *, by: Caller) -> list[int]:
    """Those of the picked ids that are files of this run."""
    run = find_run(instrument=instrument_id, run_id=run_id, by=by)
    return sorted(File.objects.filter(run=run, pk__in=picked).values_list("pk", flat=True))


def _apply_to_each(request: HttpRequest, changes: Sequence[Callable[[], object]], word: str) -> None:
    done = 0
    try:
        for change in changes:
            change()
            done += 1
    except ServiceError as error:
        add_notice(request, Notice(error.message, is_bad=True))
    if done:
        add_notice(request, Notice(f"{done} file{'s' if done != 1 else ''} {word}."))


def drop_empty_parameters(query: QueryDict) -> QueryDict:
    """The parameters that say something."""
    kept = QueryDict(mutable=True)
    for name, values in query.lists():
        kept.setlist(name, [value for value in values if value])
    return kept
