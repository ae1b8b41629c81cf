"""Making links to a run for outsiders, opening and ending them."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from accounts import rate_limits as rates
from accounts.callers import Caller, caller_for_user
from runs.lifecycle import lock_active_run
from runs.models import Run
from runs.sharing.models import MAX_DAYS, ShareLink
from wire.errors import NotFound, Unauthorized, ValidationError


class LinkGone(NotFound):
    """Unknown, ended and revoked ones look alike."""

    def __init__(self) -> None:
        super().__init__("This link leads nowhere: it has ended, or there never was one.")


@dataclass(frozen=True)
class NewLink:
    """The path is known now and never again: only the digest of its secret is kept."""

    link: ShareLink
    path: str


@dataclass(frozen=True)
class OpenedLink:
    """What a link shows, and the caller as whom it is read: whoever made it, who has to see the run still."""

    link: ShareLink
    run: Run
    maker: Caller


@transaction.atomic
def share_run(*, instrument: str, run_id: str, days: int, by: Caller, at: datetime) -> NewLink:
    """A link to one run for so many days. Raises RunMissing, RunIsDeleted."""
    if by.user is None or by.client is not None:
        raise Unauthorized("Only people in a session of their own may do this.")
    if not 1 <= days <= MAX_DAYS:
        raise ValidationError(fields={"days": [f"1 to {MAX_DAYS} days are possible."]})
    run, secret = lock_active_run(instrument=instrument, run_id=run_id, by=by), secrets.token_urlsafe(32)
    link = ShareLink.objects.create(
        run=run, digest=_digest(secret), made_by=by.user, created_at=at, expires_at=at + timedelta(days=days)
    )
    return NewLink(link, f"/shared/{secret}/")


def open_link(secret: str, *, address: str, at: datetime) -> OpenedLink:
    """Raises LinkGone; RateLimited whom it was raised to too often."""
    link = _list_open(at=at).filter(digest=_digest(secret), made_by__is_active=True).first()
    if link is not None:
        maker = caller_for_user(link.made_by)
        run = Run.objects.visible_to(maker).active().select_related("instrument").filter(pk=link.run_id).first()
        if run is not None:
            return OpenedLink(link, run, maker)
    rates.count_hit(rates.BAD_CREDENTIALS, address)
    raise LinkGone


def count_opening(link: ShareLink, *, at: datetime) -> None:
    ShareLink.objects.filter(pk=link.pk).update(open_count=F("open_count") + 1, last_opened_at=at)


def list_links(*, by: Caller, at: datetime, run: Run | None = None) -> QuerySet[ShareLink]:
    """The open ones that somebody made, newest first; all of them for admins."""
    links = _list_open(at=at).filter(run__in=Run.objects.visible_to(by))
    if run is not None:
        links = links.filter(run=run)
    if not by.is_admin:
        links = links.filter(made_by=by.user)
    return links.select_related("made_by", "run").order_by("-created_at", "-id")


def end_links(ids: list[UUID], *, by: Caller, at: datetime) -> int:
    """Of those that `list_links` names; how many were open."""
    return list_links(by=by, at=at).filter(pk__in=ids).order_by().update(revoked_at=at, revoked_by=by.user)


def _list_open(*, at: datetime) -> QuerySet[ShareLink]:
    return ShareLink.objects.filter(revoked_at__isnull=True, expires_at__gt=at).select_related("made_by")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
