"""What a person wants to hear of: the matrix of kinds and ways, and the instruments followed."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.authentication import caller_of_page
from accounts.guard import page
from instruments.catalogue import list_instruments
from notifications import access
from notifications.models import Kind
from notifications.preferences import Channels, read_settings, write_settings
from wire.errors import ValidationError
from wire.notices import Notice, tell

MEANING = {
    Kind.RUN_CREATED: "A run arrived on an instrument you follow",
    Kind.RUN_FAILED: "A file could not be read: on runs you claimed and instruments you follow",
    Kind.COMMENT: "Somebody spoke on a run that you claimed or spoke on",
    Kind.GENERIC: "A script sends you a message",
    Kind.WATCHER_OFFLINE: "A computer of an instrument you follow fell silent",
    Kind.WATCHER_ONLINE: "It is heard again",
    Kind.FEEDBACK_UPDATED: "A report of yours was answered or closed",
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(access.SETTINGS)
def notification_settings(request: HttpRequest) -> HttpResponse:
    by = caller_of_page(request)
    if request.method == "POST":
        tell(request, _save(request))
        return HttpResponseRedirect(request.path)
    kept = read_settings(by=by)
    shown = {
        "rows": [(kind, MEANING[kind], channels) for kind, channels in kept.kinds.items()],
        "instruments": list_instruments(by=by),
        "followed": set(kept.followed_instruments),
    }
    return render(request, "notifications/settings.html", shown)


def _save(request: HttpRequest) -> Notice:
    in_app, chat = set(request.POST.getlist("in_app")), set(request.POST.getlist("chat"))
    kinds = {kind: Channels(in_app=kind in in_app, chat=kind in chat) for kind in Kind}
    try:
        write_settings(kinds=kinds, followed_instruments=request.POST.getlist("follow"), by=caller_of_page(request))
    except ValidationError as refused:
        return Notice(refused.message, is_bad=True)
    return Notice("Saved.")
