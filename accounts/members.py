"""The people of the workspace."""

from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from accounts.callers import Caller
from accounts.models import Session, User
from accounts.oauth.connections import disconnect_all
from wire.errors import Conflict, NotFound, ValidationError
from wire.names import is_blank
from wire.telemetry.security_events import SecurityEvent, record_security_event
from wire.time_zones import known_time_zones


class SelfDemotion(Conflict):
    def __init__(self, user: User) -> None:
        super().__init__("You cannot take the admin role from yourself. Ask another admin.", user_id=str(user.pk))


class SelfDeactivation(Conflict):
    def __init__(self, user: User) -> None:
        super().__init__("You cannot switch yourself off. Ask another admin.", user_id=str(user.pk))


class LastAdmin(Conflict):
    def __init__(self, user_id: UUID) -> None:
        super().__init__("The workspace needs at least one admin.", user_id=str(user_id))


@dataclass(frozen=True)
class NewPerson:
    email: str
    password: str | None
    display_name: str = ""
    is_admin: bool = False


def list_users() -> QuerySet[User]:
    return User.objects.order_by("created_at", "id")


def display_name_of(user: User) -> str:
    return user.name


def has_admin() -> bool:
    return User.objects.filter(is_admin=True, is_active=True).exists()


@transaction.atomic
def set_admin(*, user_id: UUID, is_admin: bool, by: Caller) -> User:
    """Give or take the admin role. All admins are locked first, so that two cannot demote each other at once."""
    admins = set(_lock_admins())
    if by.user is None or by.user.pk not in admins:
        raise LastAdmin(user_id)
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound("There is no such person.")
    if not is_admin and user.pk == by.user.pk:
        raise SelfDemotion(user)
    if not is_admin and admins <= {user.pk}:
        raise LastAdmin(user_id)
    _change_admin(user, is_admin)
    return user


@transaction.atomic
def follow_provider(*, user_id: UUID, is_admin: bool) -> None:
    """The admin role as the identity provider's groups say; the last admin keeps it, to mend things."""
    admins = set(_lock_admins())
    user = User.objects.select_for_update().get(pk=user_id)
    if is_admin or admins - {user.pk}:
        _change_admin(user, is_admin)


def _change_admin(user: User, is_admin: bool) -> None:
    if user.is_admin != is_admin:
        user.is_admin = is_admin
        user.save(update_fields=["is_admin"])
        record_security_event(SecurityEvent.ADMIN_CHANGED, user=user.pk, is_admin=is_admin)


def create_person(new: NewPerson) -> User:
    """Add somebody, or raise Conflict when the e-mail address is taken."""
    taken = Conflict(f"{new.email} has an account already.", email=new.email)
    if User.objects.filter(email__iexact=new.email).exists():
        raise taken
    try:
        with transaction.atomic():
            return User.objects.create_user(
                new.email, new.password, display_name=new.display_name, is_admin=new.is_admin
            )
    except IntegrityError:
        raise taken from None


def rename_person(*, display_name: str, by: Caller) -> None:
    """How the caller is called from now on; by their address, where nothing of it is to be seen."""
    display_name = "" if is_blank(display_name) else display_name
    if by.user is not None:
        User.objects.filter(pk=by.user.pk).update(display_name=display_name)


def choose_time_zone(*, time_zone: str, by: Caller) -> None:
    """Where the caller's days begin; empty is where the service's do. Raises ValidationError."""
    if time_zone and time_zone not in known_time_zones():
        raise ValidationError(fields={"time_zone": ["An IANA name is needed, such as Europe/Berlin."]})
    if by.user is not None:
        User.objects.filter(pk=by.user.pk).update(time_zone=time_zone)


@transaction.atomic
def set_person_active(*, user_id: UUID, is_active: bool, by: Caller) -> User:
    """Let somebody in again, or out: what they had open before ends with either. Never oneself, nor the last admin."""
    admins = set(_lock_admins())
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        raise NotFound("There is no such person.")
    if not is_active and by.user is not None and user.pk == by.user.pk:
        raise SelfDeactivation(user)
    if not is_active and admins and admins <= {user.pk}:
        raise LastAdmin(user_id)
    User.objects.filter(pk=user.pk).update(is_active=is_active)
    Session.objects.filter(user=user).delete()  # let in again, too: a sign-in that was under way may have left one
    disconnect_all(user.pk)
    return user


def _lock_admins() -> list[UUID]:
    """In id order, so that two who change roles at once wait for each other."""
    rows = User.objects.select_for_update().filter(is_admin=True, is_active=True).order_by("id")
    return list(rows.values_list("pk", flat=True))
