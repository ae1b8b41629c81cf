"""Many runs as one download: the page that asks in which form, and the ZIP or table that is made while it is sent."""

from collections.abc import Iterator
from datetime import datetime

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.http import urlencode
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from archives import access
from archives.bundles import MAX_FILES, MAX_RUNS, Bundle, TooMuchForOneZip
from archives.models import ArchiveKind
from dashboard.guard import page
from dashboard.runs.picked import Picked, read_picked
from datasets.requests import abandonment_of
from datasets.row_formats import RowFormat, stream_rows
from datasets.run_exports import export_found_runs
from runs.models import Run, RunQuerySet
from wire.clock import now
from wire.errors import ValidationError

URL = "/downloads/one"
TABLE = "csv"
FORMS = {"zip": ArchiveKind.FILES, "crate": ArchiveKind.CRATE}


def render_choice(request: HttpRequest, picked: Picked) -> HttpResponse:
    """What the runs amount to, and the forms they are downloaded in. Raises NotFound."""
    runs = find_downloadable(picked, by=caller_of_page(request), at=now())
    sizes = list(runs.values_list("file_count", "total_size_bytes")[: MAX_RUNS + 1])
    total = len(sizes) if len(sizes) <= MAX_RUNS else runs.count()
    files = sum(files for files, _ in sizes)
    each = urlencode({"run": list(picked.keys), "each": "1"}, doseq=True)
    shown = {
        "total": total,
        "files": files,
        "size_bytes": sum(size for _, size in sizes),
        "is_too_much": total > MAX_RUNS or files > MAX_FILES,
        "limits": {"runs": MAX_RUNS, "files": MAX_FILES},
        "fields": picked.fields,
        "url": URL,
        "each": "" if picked.is_query else f"/downloads?{each}",
    }
    return render(request, "archives/choice.html", shown)


@never_cache
@require_POST
@page(access.DOWNLOAD)
def one_download(request: HttpRequest) -> HttpResponseBase:
    """The ZIP or the table. Raises ValidationError, TooMuchForOneZip before a byte is sent."""
    form, by, at = request.POST.get("form", ""), caller_of_page(request), now()
    if form not in (*FORMS, TABLE):
        raise ValidationError(fields={"form": [f"One of {', '.join(FORMS)} and {TABLE} is needed."]})
    runs = find_downloadable(read_picked(request.POST), by=by, at=at)
    name = f"runs_{localtime(at):%Y-%m-%d_%H%M}"
    if form == TABLE:
        return _answer(request, build_table(runs, at=at), name=f"{name}.csv", content_type="text/csv; charset=utf-8")
    pieces = pack(runs, FORMS[form], at=at)
    more = ".crate" if form == "crate" else ""
    return _answer(request, pieces, name=f"{name}{more}.zip", content_type="application/zip")


def find_downloadable(picked: Picked, *, by: Caller, at: datetime) -> RunQuerySet:
    return picked.find_runs(by=by, at=at).active()


def pack(runs: RunQuerySet, kind: ArchiveKind, *, at: datetime) -> Iterator[bytes]:
    """Raises TooMuchForOneZip at once."""
    ids = list(runs.values_list("pk", flat=True)[: MAX_RUNS + 1])
    if len(ids) > MAX_RUNS:
        raise TooMuchForOneZip(runs=runs.count(), files=0)
    found = Run.objects.filter(pk__in=ids).active().with_details().order_by("instrument_id", "run_id")
    return Bundle(list(found), kind, build_table(Run.objects.filter(pk__in=ids), at=at), at).pieces()


def build_table(runs: RunQuerySet, *, at: datetime) -> Iterator[bytes]:
    return stream_rows(export_found_runs(runs, at=at), RowFormat.CSV)


def _answer(request: HttpRequest, pieces: Iterator[bytes], *, name: str, content_type: str) -> StreamingHttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(_while_wanted(request, pieces), content_type=content_type, headers=headers)


def _while_wanted(request: HttpRequest, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Until the client leaves."""
    client = abandonment_of(request)
    for piece in pieces:
        if client is not None and client.is_abandoned:
            return
        yield piece
