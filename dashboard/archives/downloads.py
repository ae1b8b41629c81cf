"""Downloading several files as one ZIP, or several runs as one ZIP each: pages that wait until they are packed."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from archives import access
from archives.downloads import ArchiveDownload, sign_archive_download
from archives.jobs import request_archive, request_crate
from archives.models import ArchiveKind, ArchiveStatus
from archives.serializers import ArchiveDownloadParams
from dashboard.archives.choosing import render_choice
from dashboard.fragments import is_fragment_request
from dashboard.guard import page
from dashboard.runs.picked import Picked, parse_run_key
from runs.addresses import path_of_run
from runs.lifecycle import RunMissing
from wire.clock import now
from wire.errors import ServiceError
from wire.inputs import read_query

MAX_RUNS = 100


@dataclass(frozen=True)
class ArchiveRow:
    """One ZIP as its page shows it: being built, ready to be fetched, or refused with a reason."""

    instrument_id: str
    run_id: str
    download: ArchiveDownload | None = None
    reason: str = ""

    @property
    def is_building(self) -> bool:
        return self.download is None and not self.reason

    @property
    def href(self) -> str:
        return path_of_run(self.instrument_id, self.run_id)


@never_cache
@require_safe
@page(access.DOWNLOAD)
def archive_page(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """A run, or the files of it that are named, as one ZIP."""
    return _render_run(request, instrument_id, run_id, kind=ArchiveKind.FILES)


@never_cache
@require_safe
@page(access.DOWNLOAD)
def crate_page(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """The same as an RO-Crate."""
    return _render_run(request, instrument_id, run_id, kind=ArchiveKind.CRATE)


def _render_run(request: HttpRequest, instrument_id: str, run_id: str, *, kind: ArchiveKind) -> HttpResponse:
    chosen = read_query(ArchiveDownloadParams, request.GET).get("file_ids")
    row = prepare_archive(instrument_id, run_id, file_ids=chosen, kind=kind, by=caller_of_page(request))
    return _render_rows(request, [row], count=len(chosen or ()), is_crate=kind == ArchiveKind.CRATE)


@never_cache
@require_safe
@page(access.DOWNLOAD)
def downloads_page(request: HttpRequest) -> HttpResponse:
    """What several runs are downloaded as; a single one, or `each` of them, as a ZIP of its own."""
    keys = dict.fromkeys(request.GET.getlist("run")[:MAX_RUNS])
    by = caller_of_page(request)
    if len(keys) > 1 and not request.GET.get("each"):
        return render_choice(request, Picked(list(keys)))
    return _render_rows(request, [prepare_archive(*parse_run_key(key), file_ids=None, by=by) for key in keys])


def prepare_archive(
    instrument_id: str,
    run_id: str,
    *,
    file_ids: list[int] | None,
    by: Caller,
    kind: ArchiveKind = ArchiveKind.FILES,
) -> ArchiveRow:
    """Ask for the archive; asking again polls."""
    request_job = request_crate if kind == ArchiveKind.CRATE else request_archive
    try:
        job = request_job(instrument=instrument_id, run_id=run_id, file_ids=file_ids, by=by, at=now())
    except RunMissing:
        raise
    except ServiceError as error:
        return ArchiveRow(instrument_id, run_id, reason=error.message)
    done = job.status == ArchiveStatus.READY
    return ArchiveRow(instrument_id, run_id, download=sign_archive_download(job) if done else None)


def _render_rows(
    request: HttpRequest, parcels: list[ArchiveRow], *, count: int = 0, is_crate: bool = False
) -> HttpResponse:
    shown = {
        "parcels": parcels,
        "count": count,
        "is_crate": is_crate,
        "here": request.get_full_path(),
        "is_building": any(parcel.is_building for parcel in parcels),
    }
    return render(request, "archives/_parcels.html" if is_fragment_request(request) else "archives/page.html", shown)
