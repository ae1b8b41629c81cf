"""What a link shows to somebody without an account: one run, to be read."""

from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from dashboard.guard import Page
from dashboard.parameters import read_window
from dashboard.runs.tags import build_tags
from files.choices import FileCategory
from files.downloads import sign_download
from files.models import File, FileQuerySet
from runs.sharing.links import LinkGone, OpenedLink, count_opening, open_link
from wire.clock import now
from wire.lists.pagination import paginate

PER_PAGE = 100
HEADERS = {"X-Robots-Tag": "noindex, nofollow", "Referrer-Policy": "no-referrer"}


def for_outsiders(view: Page) -> Page:
    """Kept by no cache, found by no search engine, and its address is told to nobody."""

    @csrf_exempt  # it reads no cookie and changes nothing: what is sent is refused as the wrong method
    @never_cache
    @require_safe
    @wraps(view)
    def discreet(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponseBase:
        try:
            response: HttpResponseBase = view(request, *args, **kwargs)
        except LinkGone as gone:
            response = render(request, "sharing/gone.html", {"text": gone.message}, status=gone.status)
        for name, value in HEADERS.items():
            response[name] = value
        return response

    return discreet


@for_outsiders
def shared_run(request: HttpRequest, secret: str) -> HttpResponse:
    """The run, what is known of it, and its files."""
    opened, at = _open(request, secret), now()
    if request.method == "GET":
        count_opening(opened.link, at=at)
    files = _files_of(opened).order_by("natural_key", "id")
    shown = {
        "run": opened.run,
        "link": opened.link,
        "files": paginate(files, read_window(request.GET, per_page=PER_PAGE)),
        "facts": build_tags(
            dict(sorted(opened.run.metadata.items())), instrument=opened.run.instrument_id, declared={}
        ),
        "at": at,
    }
    return render(request, "sharing/shared.html", shown)


@for_outsiders
def shared_file(request: HttpRequest, secret: str, file_id: int) -> HttpResponse:
    """To the signed address of one of its files."""
    opened = _open(request, secret)
    file = _files_of(opened).filter(pk=file_id).first()
    if file is None:
        raise LinkGone
    return HttpResponseRedirect(sign_download(file.pk, inline=False, by=opened.maker).download_url)


def _open(request: HttpRequest, secret: str) -> OpenedLink:
    return open_link(secret, address=request.META.get("REMOTE_ADDR", ""), at=now())


def _files_of(opened: OpenedLink) -> FileQuerySet:
    return File.objects.visible_to(opened.maker).active().stored().filter(run=opened.run, category=FileCategory.RAW)
