"""Making links to a run for outsiders, opening and ending them."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet

from accounts import rate_limits as rates
from accounts.callers import Caller, caller_for_token, caller_for_user
from runs.lifecycle import find_run, lock_active_run
from runs.models import Run
from runs.sharing.models import MAX_DAYS, USUAL_DAYS, ShareLink
from wire.errors import NotFound, Unauthorized, ValidationError

LATEST = timedelta(days=MAX_DAYS)
MAKERS = ("made_by", "made_by_token")


class LinkGone(NotFound):
    """Unknown, ended and revoked ones look alike."""

    def __init__(self) -> None:
        super().__init__("This link leads nowhere: it has ended, or there never was one.")


class LinkMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such open link.")


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
def share_run(*, instrument: str, run_id: str, expires_at: datetime, by: Caller, at: datetime) -> NewLink:
    """A link to one run until then. Raises RunMissing, RunIsDeleted."""
    if by.client is not None:
        raise Unauthorized("AI clients make no links for outsiders.")
    if expires_at <= at:
        raise ValidationError(fields={"expires_at": ["The end must lie in the future."]})
    if expires_at > at + LATEST:
        raise ValidationError(fields={"expires_at": [f"A link ends within {MAX_DAYS} days."]})
    run, secret = lock_active_run(instrument=instrument, run_id=run_id, by=by), secrets.token_urlsafe(32)
    link = ShareLink.objects.create(
        run=run, digest=_digest(secret), made_by=by.user, made_by_token=by.token, created_at=at, expires_at=expires_at
    )
    return NewLink(link, f"/shared/{secret}/")


def choose_end(*, expires_at: datetime | None = None, days: int | None = None, at: datetime) -> datetime:
    """When a link ends that is asked for by a moment or for so many days; two weeks where neither is said."""
    if expires_at is not None and days is not None:
        raise ValidationError(fields={"expires_at": ["Either this or days, not both."]})
    if expires_at is not None:
        return expires_at
    days = USUAL_DAYS if days is None else days
    if not 1 <= days <= MAX_DAYS:
        raise ValidationError(fields={"days": [f"1 to {MAX_DAYS} days are possible."]})
    return at + timedelta(days=days)


def open_link(secret: str, *, address: str, at: datetime) -> OpenedLink:
    """Raises LinkGone; RateLimited whom it was raised to too often."""
    link = _list_open(at=at).filter(digest=_digest(secret)).first()
    maker = _find_maker(link) if link else None
    if link is not None and maker is not None:
        run = Run.objects.visible_to(maker).active().select_related("instrument").filter(pk=link.run_id).first()
        if run is not None:
            return OpenedLink(link, run, maker)
    rates.count_hit(rates.BAD_CREDENTIALS, address)
    raise LinkGone


def count_opening(link: ShareLink, *, at: datetime) -> None:
    ShareLink.objects.filter(pk=link.pk).update(open_count=F("open_count") + 1, last_opened_at=at)


def list_links(*, by: Caller, at: datetime) -> QuerySet[ShareLink]:
    """The open ones that somebody made, newest first; all of them for admins."""
    links = _list_open(at=at).filter(run__in=Run.objects.visible_to(by))
    if not by.is_admin:
        links = links.filter(made_by=by.user, made_by_token=by.token)
    return links.select_related(*MAKERS, "run__instrument").order_by("-created_at", "-id")


def list_links_of(*, instrument: str, run_id: str, by: Caller, at: datetime) -> QuerySet[ShareLink]:
    """Those of one run. Raises RunMissing."""
    run = find_run(instrument=instrument, run_id=run_id, by=by)
    return list_links(by=by, at=at).filter(run=run)


def end_links(ids: Iterable[UUID], *, by: Caller, at: datetime) -> int:
    """Of those that `list_links` names; how many were open."""
    chosen = list_links(by=by, at=at).filter(pk__in=ids).order_by().values("pk")
    still_open = ShareLink.objects.filter(pk__in=chosen, revoked_at__isnull=True)  # asked anew of rows it waited for
    return still_open.update(revoked_at=at, revoked_by=by.user, revoked_by_token=by.token)


def end_link(link_id: UUID, *, instrument: str, run_id: str, by: Caller, at: datetime) -> None:
    """One of this run. Raises RunMissing, LinkMissing."""
    of_run = list_links_of(instrument=instrument, run_id=run_id, by=by, at=at)
    if not end_links(of_run.filter(pk=link_id).values_list("pk", flat=True), by=by, at=at):
        raise LinkMissing


def _list_open(*, at: datetime) -> QuerySet[ShareLink]:
    """A token that was revoked or ended takes its links along, for good."""
    in_time = Q(made_by_token__expires_at__isnull=True) | Q(made_by_token__expires_at__gt=at)
    lives = Q(made_by_token__isnull=True) | Q(made_by_token__revoked_at__isnull=True) & in_time
    return ShareLink.objects.filter(lives, revoked_at__isnull=True, expires_at__gt=at).select_related(*MAKERS)


def _find_maker(link: ShareLink) -> Caller | None:
    if link.made_by_token is not None:
        return caller_for_token(link.made_by_token)
    return caller_for_user(link.made_by) if link.made_by is not None and link.made_by.is_active else None


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
