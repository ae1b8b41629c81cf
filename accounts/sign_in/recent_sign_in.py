"""When somebody last proved who they are, as their session remembers it.

Asked before what an intruder would do first.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase

from accounts.sign_in.session_store import ADDRESS, USER_AGENT
from wire.clock import now
from wire.errors import Forbidden

CONFIRMED_AT, PROOF_ASKED_AT = "confirmed_at", "proof_asked_at"
MAX_USER_AGENT_CHARS = 300


class SignInTooOld(Forbidden):
    def __init__(self) -> None:
        minutes = settings.RECENT_SIGN_IN_MINUTES
        super().__init__(f"Sign in again first: this needs a sign-in of the last {minutes} minutes.")


def record_confirmation(session: SessionBase, *, at: datetime) -> None:
    session[CONFIRMED_AT] = at.timestamp()


def is_recent_sign_in(session: SessionBase, *, at: datetime) -> bool:
    confirmed_at = session.get(CONFIRMED_AT)
    oldest = at - timedelta(minutes=settings.RECENT_SIGN_IN_MINUTES)
    return isinstance(confirmed_at, float) and confirmed_at >= oldest.timestamp()


def note_request_of_proof(session: SessionBase, *, at: datetime) -> None:
    """The identity provider is about to be told to ask who this is, even if it still knows them."""
    session[PROOF_ASKED_AT] = at.timestamp()


def judge_provider(request: Any, auth_time: Any, *, at: datetime) -> None:
    """What the provider's `auth_time` (OpenID Connect Core, 2) proves; `note_sign_in` records it.

    A provider that leaves it out is believed where it was told to ask, unless OIDC_REQUIRE_AUTH_TIME.
    """
    was_asked = request.session.pop(PROOF_ASKED_AT, None) is not None
    if isinstance(auth_time, int | float) and not isinstance(auth_time, bool):
        request.proved_at = min(float(auth_time), at.timestamp())
    else:
        request.proved_at = at.timestamp() if was_asked and not settings.OIDC_REQUIRE_AUTH_TIME else 0.0


def note_sign_in(sender: Any, *, request: Any, user: Any, **kwargs: Any) -> None:
    """Receives Django's `user_logged_in`: every way to sign in ends there."""
    request.session[CONFIRMED_AT] = getattr(request, "proved_at", now().timestamp())
    request.session[ADDRESS] = str(request.META.get("REMOTE_ADDR", ""))[:45]
    request.session[USER_AGENT] = str(request.META.get("HTTP_USER_AGENT", ""))[:MAX_USER_AGENT_CHARS]
