"""When somebody last proved who they are, as their session remembers it.

Asked before what an intruder would do first.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase

from accounts.session_store import ADDRESS, USER_AGENT
from wire.clock import now
from wire.errors import Forbidden

CONFIRMED_AT = "confirmed_at"
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


def note_sign_in(sender: Any, *, request: Any, user: Any, **kwargs: Any) -> None:
    """Receives Django's `user_logged_in`: every way to sign in ends there."""
    record_confirmation(request.session, at=now())
    request.session[ADDRESS] = str(request.META.get("REMOTE_ADDR", ""))[:45]
    request.session[USER_AGENT] = str(request.META.get("HTTP_USER_AGENT", ""))[:MAX_USER_AGENT_CHARS]
