"""Settings: which files an older version of their reader has read, and having them read again."""

from itertools import islice

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from instruments.instrument_types import list_types
from processing import access
from processing.outdated import ReadAgain, count_waiting, enqueue_outdated, list_outdated_readers, unread_jobs
from wire.clock import now
from wire.errors import ValidationError

MAX_BATCHES = 10


@require_safe
@page(access.READ_AGAIN)
def reader_list(request: HttpRequest) -> HttpResponse:
    """By reader and version, how many files would be read better now."""
    titles = list_types()
    rows = [(titles.get(one.processor, one.processor), one) for one in list_outdated_readers()]
    return render(request, "settings/readers.html", {"rows": rows, "waiting": count_waiting()})


@require_POST
@page(access.READ_AGAIN)
def read_again(request: HttpRequest) -> HttpResponse:
    """Have files of a reader, or those that none knew, read in the background: as many as a request may ask for."""
    processor = request.POST.get("processor", "")
    only = ReadAgain(unread=True) if "unread" in request.POST else ReadAgain(processor)
    if not only.unread and processor not in list_types():
        raise ValidationError(fields={"processor": ["There is no such reader."]})
    asked = max(islice(enqueue_outdated(only, at=now()), MAX_BATCHES), default=0)
    left = unread_jobs(only).count() if only.unread else sum(one.files for one in list_outdated_readers(only))
    rest = f" {left:,} are left: ask again, or use ./ids manage read_again." if left else ""
    word = "read" if only.unread else "read again"
    add_notice(request, Notice(f"{asked:,} files wait to be {word}, behind all that arrives.{rest}"))
    return HttpResponseRedirect("/settings/readers")
