"""Settings, Security: where somebody is signed in, and their second factor."""

from uuid import UUID

from allauth.mfa.base.views import authenticate
from allauth.mfa.recovery_codes.views import generate_recovery_codes, view_recovery_codes
from allauth.mfa.totp.views import activate_totp
from allauth.mfa.webauthn.views import add_webauthn
from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import NoReverseMatch
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import PROFILE, SECOND_FACTOR
from accounts.authentication import caller_of_page
from accounts.sign_in.second_factors import APP, PASSKEY, check_may_add, list_second_factors, remove_second_factor
from accounts.sign_in.sessions import end_other_sessions, end_session, list_sessions
from dashboard.guard import page
from dashboard.notices import Notice, add_notice
from wire.clock import now
from wire.errors import ServiceError, ValidationError

SECURITY_PATH = "/settings/security"


@never_cache
@require_safe
@page(PROFILE)
def security_page(request: HttpRequest) -> HttpResponse:
    by, at = caller_of_page(request), now()
    factors = list_second_factors(by=by)
    shown = {
        "sessions": list_sessions(by=by, session_key=request.session.session_key or "", at=at),
        "factors": [factor for factor in factors if factor.type in (APP, PASSKEY)],
        "has_app": any(factor.type == APP for factor in factors),
        "has_passkeys": settings.HAS_PASSKEYS,
        "codes": next((len(one.wrap().get_unused_codes()) for one in factors if one.type == "recovery_codes"), None),
        "at": at,
    }
    return render(request, "settings/security.html", shown)


@require_POST
@page(PROFILE)
def end_sessions(request: HttpRequest) -> HttpResponse:
    by, named = caller_of_page(request), request.POST.get("session", "")
    if named:
        ended = int(end_session(_read_id(named), by=by))
    else:
        ended = end_other_sessions(by=by, session_key=request.session.session_key or "")
    browsers = f"{ended} browser{'' if ended == 1 else 's'}"
    add_notice(request, Notice(f"{browsers} signed out." if ended else "It was signed out already."))
    return HttpResponseRedirect(SECURITY_PATH)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(SECOND_FACTOR, asks_at_once=True)
def add_app(request: HttpRequest) -> HttpResponse:
    """A secret to scan, and the first code; then the recovery codes."""
    return _add_factor(request, APP, activate_totp)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@page(SECOND_FACTOR, asks_at_once=True)
def add_passkey(request: HttpRequest) -> HttpResponse:
    return _add_factor(request, PASSKEY, add_webauthn)


@require_POST
@page(SECOND_FACTOR)
def remove_factor(request: HttpRequest) -> HttpResponse:
    factor_id = _read_number(request.POST.get("factor", ""))
    try:
        remove_second_factor(factor_id, by=caller_of_page(request))
    except ServiceError as refused:
        add_notice(request, Notice(refused.message, is_bad=True))
    else:
        add_notice(request, Notice("Removed. It opens nothing any more."))
    return HttpResponseRedirect(SECURITY_PATH)


@never_cache
@require_safe
@page(SECOND_FACTOR, asks_at_once=True)
def recovery_codes(request: HttpRequest) -> HttpResponse:
    """Shown once; where there are none, nothing is here."""
    return view_recovery_codes(request)


@require_POST
@page(SECOND_FACTOR)
def new_recovery_codes(request: HttpRequest) -> HttpResponse:
    """The old ones end."""
    answer = generate_recovery_codes(request)
    return answer if answer.status_code == 302 else HttpResponseRedirect(SECURITY_PATH)


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def second_factor_page(request: HttpRequest) -> HttpResponse:
    """The second step of a sign-in; allauth sends whoever has not done the first one back to it."""
    return authenticate(request)


def _add_factor(request: HttpRequest, kind: str, view: object) -> HttpResponse:
    """allauth's page. Once a factor is added, every other browser signs in anew.

    Of two that are sent at once one counts, and the other shows what is there.
    """
    by = caller_of_page(request)
    factors = list_second_factors(by=by)
    has_app, known = any(factor.type == APP for factor in factors), len(factors)
    if (kind == APP and has_app) or (kind == PASSKEY and not settings.HAS_PASSKEYS):
        return HttpResponseRedirect(SECURITY_PATH)
    check_may_add(by=by, kind=kind)
    try:
        with transaction.atomic():
            answer: HttpResponse = view(request)  # type: ignore[operator]
            if len(list_second_factors(by=by)) > known:  # whoever is signed in elsewhere had no second factor
                end_other_sessions(by=by, session_key=request.session.session_key or "")
    except (IntegrityError, NoReverseMatch):  # where the other came first, allauth leads to a page that is none of ours
        return HttpResponseRedirect(SECURITY_PATH)
    return answer


def _read_id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise ValidationError("This is not a session.") from None


def _read_number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ValidationError("This is not a second factor.")
    return int(text)
