"""Settings: which files an older version of their reader has read, and having them read again."""

from itertools import islice

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from instruments.instrument_types import list_types
from processing import access
from processing.outdated import ReadAgain, count_waiting, enqueue_outdated, list_outdated_readers
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
    """Have files of a reader read again in the background: as many as a request may ask for, the oldest first."""
    processor = request.POST.get("processor", "")
    if processor not in list_types():
        raise ValidationError(fields={"processor": ["There is no such reader."]})
    asked = max(islice(enqueue_outdated(ReadAgain(processor), at=now()), MAX_BATCHES), default=0)
    left = sum(found.files for found in list_outdated_readers(ReadAgain(processor)))
    rest = f" {left:,} are left: ask again, or use ./ids manage read_again." if left else ""
    add_notice(request, Notice(f"{asked:,} files wait to be read again, behind all that arrives.{rest}"))
    return HttpResponseRedirect("/settings/readers")
