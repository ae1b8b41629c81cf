"""What a person wants to hear of: the matrix of kinds and ways, and the instruments followed."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from dashboard.guard import page
from dashboard.name_order import sort_instruments
from dashboard.notices import Notice, add_notice
from instruments.catalogue import list_instruments
from notifications import access
from notifications.models import CHOSEN_KINDS, NotificationKind
from notifications.preferences import Channels, read_settings, write_settings
from wire.errors import ValidationError

KIND_DESCRIPTIONS = {
    NotificationKind.RUN_CREATED: "A run arrived on an instrument you follow",
    NotificationKind.RUN_FAILED: "A file could not be read: on runs you claimed and instruments you follow",
    NotificationKind.COMMENT: "Somebody spoke on a run that you claimed or spoke on",
    NotificationKind.MENTION: "Somebody named you in a comment with @",
    NotificationKind.GENERIC: "A script sends you a message",
    NotificationKind.WATCHER_OFFLINE: "A computer of an instrument you follow fell silent",
    NotificationKind.WATCHER_ONLINE: "It is online again",
    NotificationKind.FOLDER_AWAY: "Its folder is away, empty or closed to the agent for ten minutes",
    NotificationKind.NO_FILES: "It found no new file for longer than its instrument should take",
    NotificationKind.INSTANCE_CONFLICT: "Two computers report as one watcher; admins hear of it",
    NotificationKind.FEEDBACK_UPDATED: "A report of yours was answered or closed",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.SETTINGS)
def notification_settings(request: HttpRequest) -> HttpResponse:
    by = caller_of_page(request)
    if request.method == "POST":
        add_notice(request, _save_settings(request))
        return HttpResponseRedirect(request.path)
    kept = read_settings(by=by)
    shown = {
        "rows": [(kind, KIND_DESCRIPTIONS[kind], channels) for kind, channels in kept.kinds.items()],
        "instruments": sort_instruments(list_instruments(by=by)),
        "zone": by.user.time_zone if by.user and by.user.time_zone else settings.TIME_ZONE,
        "has_mail": bool(settings.EMAIL_URL),
        "followed": set(kept.followed_instruments),
    }
    return render(request, "notifications/settings.html", shown)


def _save_settings(request: HttpRequest) -> Notice:
    in_app, chat = (set(request.POST.getlist(way)) for way in ("in_app", "chat"))
    mail = {kind: request.POST.get(f"email-{kind.value}", "") for kind in CHOSEN_KINDS}
    kinds = {
        kind: Channels(kind in in_app, kind in chat, way in ("at_once", "daily"), way == "daily")
        for kind, way in mail.items()
    }
    try:
        write_settings(kinds=kinds, followed_instruments=request.POST.getlist("follow"), by=caller_of_page(request))
    except ValidationError as refused:
        return Notice(refused.message, is_bad=True)
    return Notice("Saved.")
