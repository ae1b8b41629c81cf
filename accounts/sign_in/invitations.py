"""One-time links by which people join who have no account yet: an admin makes one and hands it over."""

import hashlib
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet

from accounts.callers import Caller
from accounts.members import NewPerson, create_person
from accounts.models import Invitation, User
from accounts.signals import invitation_accepted
from wire.errors import Conflict, Forbidden, NotFound
from wire.telemetry.security_events import SecurityEvent, record_security_event

INVITATION_LOCK = 0x1D5_1417  # advisory lock: of twins the later one replaces the earlier


class InvitationInvalid(NotFound):
    def __init__(self) -> None:
        super().__init__("This invitation was used, has expired or was replaced by a newer one.")


@dataclass(frozen=True)
class NewInvitation:
    """The path of the link is known now and never again: only its digest is kept."""

    invitation: Invitation
    path: str


def invite(
    *, email: str, is_admin: bool = False, group_ids: Collection[UUID] = (), by: Caller, at: datetime
) -> NewInvitation:
    """A link for this address, in place of an older one. Raises Conflict for whom there is an account."""
    if by.user is None:
        raise Forbidden("Only people invite people.")
    address, secret = email.strip().lower(), secrets.token_urlsafe(32)
    if known := User.objects.filter(email=address).first():
        raise Conflict(f"{address} has an account already.", person_id=str(known.pk))
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [INVITATION_LOCK])
        Invitation.objects.filter(email=address, accepted_at__isnull=True).delete()
        made = Invitation.objects.create(
            email=address,
            is_admin=is_admin,
            group_ids=sorted(set(group_ids)),
            digest=_digest(secret),
            invited_by=by.user,
            created_at=at,
            expires_at=at + timedelta(hours=settings.INVITATION_HOURS),
        )
    return NewInvitation(made, f"/accounts/invited/{secret}/")


def list_open_invitations(*, at: datetime) -> QuerySet[Invitation]:
    """Newest first."""
    waiting = Invitation.objects.filter(accepted_at__isnull=True, expires_at__gt=at)
    return waiting.select_related("invited_by").order_by("-created_at", "-id")


def end_invitations(ids: Sequence[UUID]) -> int:
    """Their links work no longer; how many of them were open."""
    return Invitation.objects.filter(pk__in=ids, accepted_at__isnull=True).delete()[0]


def find_invitation(secret: str, *, at: datetime, lock: bool = False) -> Invitation:
    """Raises InvitationInvalid. Whoever invites as an admin must be one still."""
    invitations = Invitation.objects.select_for_update(of=("self",)) if lock else Invitation.objects.all()
    found = invitations.filter(
        digest=_digest(secret),
        accepted_at__isnull=True,
        expires_at__gt=at,
        invited_by__is_admin=True,
        invited_by__is_active=True,
    ).first()
    if found is None:
        raise InvitationInvalid
    return found


@transaction.atomic
def accept_invitation(secret: str, *, password: str, display_name: str, at: datetime) -> User:
    """The new person. Of many who open a link at once, one gets in."""
    try:
        invitation = find_invitation(secret, at=at, lock=True)
    except InvitationInvalid:
        record_security_event(SecurityEvent.SPENT_LINK, what="invitation")
        raise
    invitation.accepted_at = at
    invitation.save(update_fields=["accepted_at"])
    person = create_person(
        NewPerson(email=invitation.email, password=password, display_name=display_name, is_admin=invitation.is_admin)
    )
    invitation_accepted.send(sender=User, person=person, group_ids=invitation.group_ids)
    return person


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
