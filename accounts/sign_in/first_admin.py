"""The one-time link by which an empty service gets its first admin."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction

from accounts.members import NewPerson, create_person, has_admin
from accounts.models import FirstLink, User
from wire.errors import NotFound
from wire.telemetry.security_events import SecurityEvent, record_security_event

FIRST_ADMIN_LOCK = 0x1D5_AD31  # advisory lock: one first admin, whoever opens the link how often


class FirstLinkInvalid(NotFound):
    def __init__(self) -> None:
        super().__init__("This sign-in link was used, has expired or was replaced by a newer one.")


def make_first_link(*, at: datetime) -> str | None:
    """The path of a fresh link, or None once there is an admin. Older links stop working."""
    if has_admin():
        return None
    secret = secrets.token_urlsafe(32)
    with transaction.atomic():
        FirstLink.objects.filter(used_at__isnull=True).delete()
        FirstLink.objects.create(
            digest=_digest(secret), created_at=at, expires_at=at + timedelta(hours=settings.FIRST_LINK_HOURS)
        )
    return f"/accounts/first/{secret}/"


def is_first_link(secret: str, *, at: datetime) -> bool:
    return (
        not has_admin()
        and FirstLink.objects.filter(digest=_digest(secret), used_at__isnull=True, expires_at__gt=at).exists()
    )


@transaction.atomic
def use_first_link(secret: str, *, email: str, password: str, display_name: str, at: datetime) -> User:
    """Make the first admin. Of thirty who open the link at once, one gets in."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [FIRST_ADMIN_LOCK])
    if not is_first_link(secret, at=at):
        record_security_event(SecurityEvent.SPENT_LINK, what="first link")
        raise FirstLinkInvalid
    FirstLink.objects.filter(digest=_digest(secret)).update(used_at=at)
    return create_person(NewPerson(email=email, password=password, display_name=display_name, is_admin=True))


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
