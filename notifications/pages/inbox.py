"""The inbox."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import caller_of_page
from accounts.guard import page
from notifications import access
from notifications.inbox import list_notifications, mark_read
from notifications.models import Kind
from notifications.pages.lines import days_of
from notifications.preferences import Channels, read_settings, write_settings
from runs.addresses import run_address
from wire.clock import now
from wire.errors import NotFound, ValidationError
from wire.notices import Notice, tell
from wire.pagination import page_of, read_window

PER_PAGE = 50
WATCHERS = (Kind.WATCHER_OFFLINE, Kind.WATCHER_ONLINE)


@never_cache
@require_safe
@page(access.INBOX)
def inbox(request: HttpRequest) -> HttpResponse:
    by, at = caller_of_page(request), now()
    is_all = request.GET.get("show") == "all"
    rows = list_notifications(by=by, unread_only=not is_all).select_related("run__instrument")
    found = page_of(rows, read_window(request.GET, per_page=PER_PAGE))
    shown = {
        "at": at,
        "is_all": is_all,
        "page": found,
        "query": request.GET,
        "days": list(days_of(found.rows, at=at)),
        "kinds": [(kind, channels.in_app) for kind, channels in read_settings(by=by).kinds.items()],
    }
    return render(request, "notifications/inbox.html", shown)


@require_safe
@page(access.INBOX)
def open_notification(request: HttpRequest, notification_id: UUID) -> HttpResponse:
    """Read it, and go where it leads."""
    by = caller_of_page(request)
    row = list_notifications(by=by).filter(pk=notification_id).first()
    if row is None:
        raise NotFound("There is no such message.")
    mark_read(by=by, ids=[row.pk], at=now())
    if row.run is not None:
        return HttpResponseRedirect(run_address(row.run) + ("#comments" if row.kind == Kind.COMMENT else ""))
    return HttpResponseRedirect("/watchers" if row.kind in WATCHERS else "/inbox")


@require_POST
@page(access.INBOX)
def read_notifications(request: HttpRequest) -> HttpResponse:
    """Those that were on the page; all of them where none is named."""
    ids = request.POST.getlist("id")
    mark_read(by=caller_of_page(request), ids=[_id(text) for text in ids] if ids else None, at=now())
    return HttpResponseRedirect("/inbox")


@require_POST
@page(access.SETTINGS)
def mute_kind(request: HttpRequest) -> HttpResponse:
    """No message of this kind in the inbox any more, or again."""
    by, wanted = caller_of_page(request), request.POST.get("in_app") == "1"
    if request.POST.get("kind") not in Kind.values:
        raise ValidationError("This is not a kind of message.")
    kind = Kind(request.POST["kind"])
    chat = read_settings(by=by).kinds[kind].chat
    try:
        write_settings(kinds={kind: Channels(in_app=wanted, chat=chat)}, followed_instruments=None, by=by)
    except ValidationError as refused:
        tell(request, Notice(refused.message, is_bad=True))
    else:
        tell(request, Notice(f"{kind.label}: {'shown in the inbox again' if wanted else 'muted'}."))
    return HttpResponseRedirect("/inbox")


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValidationError("This is not a message.") from None
