"""The page that asks a signed-in person who they are once more, and keeps what they had filled in."""

from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from accounts.callers import Caller
from accounts.models import User
from accounts.sign_in.reauthentication import is_right_password
from accounts.sign_in.recent_sign_in import record_confirmation
from wire.clock import now

PASSWORD, ASKED_BY_GET = "confirm_password", "confirm_only"
OWN_FIELDS = {PASSWORD, ASKED_BY_GET, "confirm_account", "csrfmiddlewaretoken"}


def ask_to_confirm(request: HttpRequest, caller: Caller) -> HttpResponse | None:
    """None once the person has proved who they are: what they sent goes on then. Else the page that asks."""
    if caller.is_recent or caller.user is None:
        return None
    if PASSWORD in request.POST and _is_right(request, caller.user):
        record_confirmation(request.session, at=now())
        return HttpResponseRedirect(request.get_full_path()) if ASKED_BY_GET in request.POST else None
    return _render_question(request, caller.user)


def _is_right(request: HttpRequest, person: User) -> bool:
    address = request.META.get("REMOTE_ADDR", "")
    return is_right_password(person, password=request.POST[PASSWORD], address=address)


def _render_question(request: HttpRequest, person: User) -> HttpResponse:
    has_provider = bool(settings.OIDC_NAME) and SocialAccount.objects.filter(user=person).exists()
    shown = {
        "kept": [(name, values) for name, values in request.POST.lists() if name not in OWN_FIELDS],
        "asked_by_get": request.method != "POST" or ASKED_BY_GET in request.POST,
        "fault": "The password is wrong." if PASSWORD in request.POST else "",
        "provider": settings.OIDC_NAME if has_provider else "",
        "minutes": settings.RECENT_SIGN_IN_MINUTES,
    }
    return render(request, "accounts/confirm.html", shown, status=403)
