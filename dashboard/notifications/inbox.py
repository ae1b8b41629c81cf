"""The inbox."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from dashboard.parameters import read_ids
from notifications import access
from notifications.inbox import list_notifications, mark_read
from notifications.inbox_lines import InboxLine, group_by_day
from notifications.models import CHOSEN_KINDS, NotificationKind
from notifications.preferences import Channels, read_settings, write_settings
from wire.clock import now
from wire.errors import NotFound, ValidationError
from wire.lists.pagination import paginate, read_window

PER_PAGE = 50


@never_cache
@require_safe
@page(access.INBOX)
def inbox_page(request: HttpRequest) -> HttpResponse:
    by, at = caller_of_page(request), now()
    is_all = request.GET.get("show") == "all"
    rows = list_notifications(by=by, unread_only=not is_all).select_related("run__instrument")
    found = paginate(rows, read_window(request.GET, per_page=PER_PAGE))
    shown = {
        "at": at,
        "is_all": is_all,
        "page": found,
        "has_any": bool(found.rows) or list_notifications(by=by).exists(),
        "query": request.GET,
        "days": list(group_by_day(found.rows, at=at)),
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
    return HttpResponseRedirect(InboxLine([row]).path)


@require_POST
@page(access.INBOX)
def read_notifications(request: HttpRequest) -> HttpResponse:
    """Those that were on the page; all of them where none is named."""
    ids = request.POST.getlist("id")
    mark_read(by=caller_of_page(request), ids=read_ids(ids, of="messages") if ids else None, at=now())
    return HttpResponseRedirect("/inbox")


@require_POST
@page(access.SETTINGS)
def mute_kind(request: HttpRequest) -> HttpResponse:
    """No message of this kind in the inbox any more, or again."""
    by, wanted = caller_of_page(request), request.POST.get("in_app") == "1"
    if request.POST.get("kind") not in CHOSEN_KINDS:
        raise ValidationError("This is not a kind of message.")
    kind = NotificationKind(request.POST["kind"])
    chat = read_settings(by=by).kinds[kind].chat
    try:
        write_settings(kinds={kind: Channels(in_app=wanted, chat=chat)}, followed_instruments=None, by=by)
    except ValidationError as refused:
        add_notice(request, Notice(refused.message, is_bad=True))
    else:
        add_notice(request, Notice(f"{kind.label}: {'shown in the inbox again' if wanted else 'muted'}."))
    return HttpResponseRedirect("/inbox")
