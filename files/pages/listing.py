"""The files of a run as a table, and what is done with those that were picked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import ANY_CALLER
from accounts.authentication import caller_of_page
from accounts.callers import Caller
from accounts.guard import page
from files import access
from files.changes import dismiss_file
from files.icons import icon_of
from files.listing import FileFilter, list_files
from files.models import NOT_STORED, File, FileCategory, FileStatus
from files.upload_queue import request_upload
from processing.access import REPROCESS_FILE
from processing.requests import reprocess_file
from runs.addresses import path_of_run
from runs.lifecycle import describe_run, find_run
from runs.models import Run
from wire.clock import now
from wire.errors import NotFound, ServiceError, ValidationError
from wire.fragments import address_with, push_address
from wire.notices import Notice, tell
from wire.pagination import Page, Window, page_of

PER_PAGE, MOST = 50, 100
OWN = ("name", "type", "state", "page")  # what of the run page's address is about its files


@dataclass(frozen=True)
class FileRow:
    """One file as the table shows it."""

    file: File
    icon: str
    note: str
    is_bad: bool
    allows: str


@require_safe
@page(access.READ)
def files(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """The table alone, for htmx; the address that shows the same is the run's page."""
    by = caller_of_page(request)
    run = describe_run(instrument=instrument_id, run_id=run_id, by=by)
    url, query = path_of_run(instrument_id, run_id), said(request.GET)
    shown = {"run": run, "url": url, "at": now(), "zone": run.instrument.time_zone, **files_of(run, query, by=by)}
    response = render(request, "files/_files.html", shown)
    push_address(response, request, address_with(request, url, own=OWN))
    return response


def files_of(run: Run, query: QueryDict, *, by: Caller) -> dict[str, Any]:
    """One page of the files that the query asks for; values it does not know ask for nothing."""
    category, status = query.get("type") or FileCategory.RAW, query.get("state", "")
    only = FileFilter(
        category=[FileCategory(category)] if category in FileCategory.values else [],
        status=[FileStatus(status)] if status in FileStatus.values else [],
        search=query.get("name", "").replace("\0", "")[:255],
    )
    found = _page(run, only, _window(query), by=by)
    return {
        "files": Page([row_of(file, run=run) for file in found.rows], found.window, found.total),
        "file_query": query,
        "fragment": f"{path_of_run(run.instrument_id, run.run_id)}/files",
        "processed": run.files.filter(category=FileCategory.PROCESSED, deleted_at__isnull=True).count(),
        "states": list(FileStatus),
        "is_narrowed": any(query.get(name) for name in ("type", "state", "name")),
    }


def _page(run: Run, only: FileFilter, window: Window, *, by: Caller) -> Page[File]:
    """The count of a run's raw files stands in the run; counting 100,000 takes a fifth of a second."""
    files = list_files(instrument=run.instrument_id, run_id=run.run_id, only=only, by=by)
    if only != FileFilter(category=[FileCategory.RAW]):
        return page_of(files, window)
    rows = list(files[window.start : window.stop]) if window.start < run.file_count else []
    return Page(rows, window, run.file_count)


def row_of(file: File, *, run: Run) -> FileRow:
    waits = file.status in NOT_STORED
    note = file.error_message or ""
    if file.status == FileStatus.DETECTED:
        note = note or "Stays on the instrument's computer until it is uploaded or asked for."
    elif file.status == FileStatus.UPLOAD_REQUESTED:
        note = note or "Asked for; the watcher brings it when it calls next."
    allows = (
        ["dismiss", "ask"] if waits else ["download", *(["reprocess"] if file.category == FileCategory.RAW else [])]
    )
    if run.deleted_at is not None:
        allows = [one for one in allows if one == "download"]
    return FileRow(file, icon_of(file), note, file.status == FileStatus.FAILED, " ".join(allows))


@require_POST
@page(ANY_CALLER)
def act_on_files(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """Download, ask for, or dismiss the picked files of a run."""
    url = path_of_run(instrument_id, run_id)
    picked = [
        int(one) for one in request.POST.getlist("file")[:MOST] if one.isascii() and one.isdigit() and len(one) <= 18
    ]
    match request.POST.get("do"):
        case "download" if len(picked) == 1:
            return HttpResponseRedirect(f"/api/v1/files/{picked[0]}/download")
        case "download":
            return HttpResponseRedirect(f"{url}/archive?{urlencode({'file_ids': ','.join(map(str, picked))})}")
        case "ask":
            ask_for(request, instrument_id, run_id, picked)
        case "reprocess":
            read_again(request, instrument_id, run_id, picked)
        case "dismiss":
            dismiss(request, instrument_id, run_id, picked)
        case _:
            raise ValidationError(fields={"do": ["There is no such action."]})
    return HttpResponseRedirect(f"{url}#files")


def ask_for(request: HttpRequest, instrument_id: str, run_id: str, picked: list[int]) -> None:
    by = caller_of_page(request)
    access.ASK.check(by)
    try:
        queued = request_upload(instrument=instrument_id, run_id=run_id, file_ids=picked, by=by, at=now())
    except (ValidationError, NotFound) as error:
        tell(request, Notice(error.message, is_bad=True))
        return
    when = "The watcher is asked" if queued.watcher_online else "The watcher is offline; it will be asked when it calls"
    tell(request, Notice(f"{when}: {queued.files_queued} file{'s' if queued.files_queued != 1 else ''}."))


def dismiss(request: HttpRequest, instrument_id: str, run_id: str, picked: list[int]) -> None:
    by, at = caller_of_page(request), now()
    access.DISMISS.check(by)
    files = own_files(instrument_id, run_id, picked, by=by)
    _tell_of_each(request, [partial(dismiss_file, file, by=by, at=at) for file in files], "dismissed")


def read_again(request: HttpRequest, instrument_id: str, run_id: str, picked: list[int]) -> None:
    by, at = caller_of_page(request), now()
    REPROCESS_FILE.check(by)
    files = own_files(instrument_id, run_id, picked, by=by)
    _tell_of_each(request, [partial(reprocess_file, file, by=by, at=at) for file in files], "being read again")


def own_files(instrument_id: str, run_id: str, picked: list[int], *, by: Caller) -> list[int]:
    """Those of the picked ids that are files of this run."""
    run = find_run(instrument=instrument_id, run_id=run_id, by=by)
    return sorted(File.objects.filter(run=run, pk__in=picked).values_list("pk", flat=True))


def _tell_of_each(request: HttpRequest, changes: Sequence[Callable[[], object]], word: str) -> None:
    done = 0
    try:
        for change in changes:
            change()
            done += 1
    except ServiceError as error:
        tell(request, Notice(error.message, is_bad=True))
    if done:
        tell(request, Notice(f"{done} file{'s' if done != 1 else ''} {word}."))


def said(query: QueryDict) -> QueryDict:
    """The parameters that say something."""
    kept = QueryDict(mutable=True)
    for name, values in query.lists():
        kept.setlist(name, [value for value in values if value])
    return kept


def _window(query: QueryDict) -> Window:
    page_asked = query.get("page", "")
    is_number = page_asked.isascii() and page_asked.isdigit() and len(page_asked) <= 6
    return Window(page=max(1, int(page_asked)) if is_number else 1, per_page=PER_PAGE)
