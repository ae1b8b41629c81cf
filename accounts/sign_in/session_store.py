"""Django's sessions in a table of ours: kept by digest, ended when idle or old.

A session of somebody who signed in ends SESSION_IDLE_HOURS after its last use and SESSION_DAYS after the sign-in,
whichever comes first; one of nobody after an hour.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY as USER_ID
from django.contrib.sessions.backends.base import CreateError, SessionBase, UpdateError
from django.db import IntegrityError, transaction

from accounts.models import Session
from wire.clock import now

SIGNED_IN_AT, ADDRESS, USER_AGENT = "signed_in_at", "address", "user_agent"
USE_RESOLUTION = timedelta(minutes=1)
LIFE_OF_STRANGERS = timedelta(hours=1)


class SessionStore(SessionBase):
    """What SESSION_ENGINE names."""

    def load(self) -> dict[str, Any]:
        at = now()
        row = Session.objects.filter(digest=digest_key(self.session_key or ""), expires_at__gt=at).first()
        if row is None:
            self._session_key = None
            return {}
        if at - row.last_used_at >= USE_RESOLUTION:
            self._record_use(row, at=at)
        data: dict[str, Any] = self.decode(row.data)
        return data

    def exists(self, session_key: str) -> bool:
        return Session.objects.filter(digest=digest_key(session_key)).exists()

    def create(self) -> None:
        self._session_key = self._get_new_session_key()  # type: ignore[attr-defined]
        self.save(must_create=True)
        self.modified = True

    def save(self, must_create: bool = False) -> None:
        if self.session_key is None:
            self.create()
            return
        columns = build_columns(self._get_session(no_load=must_create), at=now())  # type: ignore[attr-defined]
        columns["data"] = self.encode(self._get_session(no_load=must_create))  # type: ignore[attr-defined]
        if self.session_key is None:  # reading it found that it has ended
            raise UpdateError
        digest = digest_key(self.session_key)
        if not must_create and not Session.objects.filter(digest=digest).update(**columns):
            raise UpdateError  # it was ended meanwhile, and stays ended
        if must_create:
            try:
                with transaction.atomic():
                    Session.objects.create(digest=digest, **columns)
            except IntegrityError:
                raise CreateError from None

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            Session.objects.filter(digest=digest_key(key)).delete()

    @classmethod
    def clear_expired(cls) -> None:
        Session.objects.filter(expires_at__lte=now()).delete()

    def _record_use(self, row: Session, *, at: datetime) -> None:
        """Once a minute, by one of those who are at it."""
        known = Session.objects.filter(pk=row.pk, last_used_at=row.last_used_at)
        known.update(last_used_at=at, expires_at=end_of_session(row.signed_in_at, at=at))


def build_columns(data: dict[str, Any], *, at: datetime) -> dict[str, Any]:
    """What the row says beside its data. The sign-in is dated by the first time that it is saved."""
    user_id = data.get(USER_ID)
    if user_id:
        data.setdefault(SIGNED_IN_AT, at.isoformat())
    signed_in_at = datetime.fromisoformat(data[SIGNED_IN_AT]) if user_id else None
    return {
        "user_id": user_id,
        "signed_in_at": signed_in_at,
        "last_used_at": at,
        "expires_at": end_of_session(signed_in_at, at=at),
        "address": data.get(ADDRESS, ""),
        "user_agent": data.get(USER_AGENT, ""),
    }


def end_of_session(signed_in_at: datetime | None, *, at: datetime) -> datetime:
    """When a session ends that is used now and not again."""
    if signed_in_at is None:
        return at + LIFE_OF_STRANGERS
    idle = timedelta(hours=settings.SESSION_IDLE_HOURS)
    return min(at + idle, signed_in_at + timedelta(days=settings.SESSION_DAYS))


def digest_key(session_key: str) -> str:
    return hashlib.sha256(session_key.encode("utf-8", "replace")).hexdigest()
