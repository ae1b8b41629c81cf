"""Who a request comes from: a bearer token first, else the session. A bad bearer never falls back to the cookie."""

from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.request import Request

from accounts import rate_limits as rates
from accounts.access import Access, Only
from accounts.callers import Caller, caller_for_token, caller_for_user
from accounts.models import User
from accounts.sign_in.recent_sign_in import is_recent_sign_in
from accounts.tokens import find_token, record_token_use
from wire.audit_context import Principal, service_principal
from wire.clock import now
from wire.errors import Unauthorized

WEB_PRINCIPAL = service_principal("web")  # somebody who is signing in, or a link that was sent


class BearerAuthentication(BaseAuthentication):
    """`Authorization: Bearer ids_…`."""

    def authenticate(self, request: Request) -> tuple[Any, Caller] | None:
        caller = find_bearer_caller(request.META, is_counted=_is_counted(request))
        return None if caller is None else (None, caller)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class PersonAuthentication(SessionAuthentication):
    """The session cookie, with CSRF on every unsafe method.

    Token-only operations skip the CSRF check: they answer 401 to a session, with or without a CSRF token.
    """

    def authenticate(self, request: Request) -> tuple[User, Caller] | None:
        user = getattr(request._request, "user", None)
        if not isinstance(user, User) or not user.is_active:
            return None
        if not _is_token_only(request):
            self.enforce_csrf(request)
        return user, caller_of_session(request._request, user)

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def find_bearer_caller(meta: dict[str, Any], *, is_counted: bool = True) -> Caller | None:
    """Whom the Authorization header names; None where there is no bearer. Raises Unauthorized, RateLimited."""
    kind, _, text = meta.get("HTTP_AUTHORIZATION", "").partition(" ")
    if kind.lower() != "bearer":
        return None
    at = now()
    token = find_token(text.strip(), at=at)
    if token is None:
        rates.count_hit(rates.BAD_CREDENTIALS, meta.get("REMOTE_ADDR", ""))
        raise Unauthorized("The token is unknown, revoked or expired.")
    meta["ids.caller"] = caller = caller_for_token(token)
    if is_counted:
        rates.count_hit(rates.REQUESTS, f"token:{token.pk}")
    record_token_use(token, at=at)
    return caller


def caller_of(request: Request) -> Caller:
    """The caller of a REST request whose access was checked."""
    if not isinstance(request.auth, Caller):
        raise Unauthorized
    return request.auth


def caller_of_page(request: HttpRequest) -> Caller:
    """The caller of a dashboard page."""
    if not isinstance(request.user, User):
        raise Unauthorized
    return caller_of_session(request, request.user)


def caller_of_session(request: HttpRequest, user: User) -> Caller:
    """Asked of the database once a request."""
    known = request.META.get("ids.caller")
    if isinstance(known, Caller) and known.user is not None and known.user.pk == user.pk:
        return replace(known, is_recent=is_recent_sign_in(request.session, at=now()))
    caller = caller_for_user(user, is_recent=is_recent_sign_in(request.session, at=now()))
    request.META["ids.caller"] = caller
    return caller


def principal_of(request: HttpRequest) -> Principal:
    """Who a request is known to come from by now. It asks the database for nothing: who matters was asked before."""
    caller = request.META.get("ids.caller")
    if isinstance(caller, Caller):
        return caller.principal
    user = vars(request).get("user")
    known = getattr(user, "_wrapped", user)  # what a lazy object has found, if it was asked
    return Caller(user=known).principal if isinstance(known, User) else WEB_PRINCIPAL


def _is_token_only(request: Request) -> bool:
    access = _access_of(request)
    return isinstance(access, Access) and access.only is Only.TOKEN


def _is_counted(request: Request) -> bool:
    access = _access_of(request)
    return not isinstance(access, Access) or access.counts_against_rate


def _access_of(request: Request) -> Any:
    return declared_access((request.parser_context or {}).get("view"))


def declared_access(view: Any) -> Any:
    """What a viewset declares for the action at hand; None when it declares nothing."""
    return getattr(view, "access", {}).get(getattr(view, "action", None))
