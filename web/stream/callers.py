"""Who listens: the same credentials as at the route itself, read below Django."""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest, QueryDict
from django.http.cookie import parse_cookie

from accounts.authentication import find_bearer_caller
from accounts.callers import Caller, caller_for_user
from accounts.models import User
from changes.access import FOLLOW
from wire.asgi import Scope, find_header
from wire.errors import Unauthorized

LAST_EVENT_ID = b"last-event-id"


def find_stream_caller(scope: Scope, *, is_counted: bool = True) -> Caller:
    """A bearer token first, else the session, of which nothing is written. Raises Unauthorized, Forbidden."""
    meta = {"REMOTE_ADDR": (scope.get("client") or ("",))[0]}
    if given := find_header(scope, b"authorization"):
        meta["HTTP_AUTHORIZATION"] = given
    caller = find_bearer_caller(meta, is_counted=is_counted) or _find_person(scope)
    if caller is None:
        raise Unauthorized
    FOLLOW.check(caller)
    return caller


def read_stream_query(scope: Scope) -> QueryDict:
    """The parameters; the position of the last event that a client has seen comes before the one it began with."""
    query = QueryDict(scope["query_string"].decode("ascii", "replace"), mutable=True)
    if last := find_header(scope, LAST_EVENT_ID):
        query["after"] = last
    return query


def _find_person(scope: Scope) -> Caller | None:
    key = parse_cookie(find_header(scope, b"cookie") or "").get(settings.SESSION_COOKIE_NAME)
    if not key:
        return None
    request: Any = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(key)
    user = get_user(request)
    return caller_for_user(user) if isinstance(user, User) and user.is_active else None
