"""Where somebody is signed in, and how that ends."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.callers import Caller
from accounts.models import Session
from accounts.sign_in.session_store import digest_key

BROWSERS = {"Edg/": "Edge", "OPR/": "Opera", "Firefox/": "Firefox", "Chrome/": "Chrome", "Safari/": "Safari"}
SYSTEMS = {
    "iPhone": "an iPhone",
    "iPad": "an iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


@dataclass(frozen=True)
class SignedInBrowser:
    """One session as its person sees it."""

    id: UUID
    name: str
    address: str
    signed_in_at: datetime | None
    last_used_at: datetime
    is_this: bool


def list_sessions(*, by: Caller, session_key: str, at: datetime) -> list[SignedInBrowser]:
    """Those of this person that have not ended; `session_key` names the one that asks, which comes first."""
    rows = Session.objects.filter(user=by.user, expires_at__gt=at).order_by("-last_used_at")
    this = digest_key(session_key)
    found = [
        SignedInBrowser(
            row.pk, name_browser(row.user_agent), row.address, row.signed_in_at, row.last_used_at, row.digest == this
        )
        for row in rows
    ]
    return sorted(found, key=lambda one: not one.is_this)


def end_session(session_id: UUID, *, by: Caller) -> bool:
    """Sign one's own browser out. False where it was signed out already."""
    return bool(Session.objects.filter(pk=session_id, user=by.user).delete()[0])


def end_other_sessions(*, by: Caller, session_key: str) -> int:
    """Sign out everywhere but here; how many that were."""
    return Session.objects.filter(user=by.user).exclude(digest=digest_key(session_key)).delete()[0]


def name_browser(user_agent: str) -> str:
    """Such as "Firefox on Linux"; what the browser says of itself may be anything."""
    browser = next((name for mark, name in BROWSERS.items() if mark in user_agent), "A browser")
    system = next((name for mark, name in SYSTEMS.items() if mark in user_agent), "")
    return f"{browser} on {system}" if system else browser
