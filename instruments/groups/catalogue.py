"""Finding, making and changing groups."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Prefetch, QuerySet

from accounts.callers import Caller
from accounts.models import User
from instruments.groups.models import Group, GroupInstrument, GroupRole, Membership
from instruments.models import Instrument
from wire.errors import Conflict, Forbidden, NotFound, ValidationError

Members = Sequence[Mapping[str, Any]]  # person_id, role


class GroupMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such group.")


class GroupExists(Conflict):
    """Managers learn of groups that are not theirs only that the name is not free."""

    def __init__(self, name: str, *, is_seen: bool) -> None:
        told = f"There is a group named {name}." if is_seen else f"The name {name} is not available."
        super().__init__(told, name=name)


class ClaimTaken(Conflict):
    def __init__(self, claim: str) -> None:
        super().__init__(f"Another group is {claim} of the identity provider.", claimed_as=claim)


class AdminsOnly(Forbidden):
    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs the admin role.")


def list_groups(*, by: Caller) -> QuerySet[Group]:
    """All of them for admins, for managers their own, by name; others find none."""
    members = Membership.objects.select_related("person").order_by("person__display_name", "person_id")
    named = GroupInstrument.objects.select_related("instrument").only("group", "instrument__display_name")
    entries = named.order_by("instrument_id")
    found = Group.objects.prefetch_related(Prefetch("memberships", members), Prefetch("group_instruments", entries))
    if not by.is_admin:
        mine = Membership.objects.filter(person=by.user, role=GroupRole.MANAGER)
        found = found.filter(pk__in=mine.values("group"))
    return found.order_by("name", "id")


def list_groups_of(instrument: Instrument) -> QuerySet[Group]:
    """By name."""
    return Group.objects.filter(group_instruments__instrument=instrument).order_by("name", "id")


def add_to_groups(instrument: Instrument, group_ids: Collection[UUID], *, by: Caller) -> None:
    """Raises AdminsOnly, ValidationError for a group that is not there."""
    if not by.is_admin:
        raise AdminsOnly("Giving instruments to a group")
    for group in find_groups(group_ids, by=by):
        GroupInstrument.objects.create(group=group, instrument=instrument)


def join_groups(person: User, group_ids: Collection[UUID]) -> None:
    """As a member of each that is still there."""
    there = Group.objects.filter(pk__in=group_ids).order_by("id")
    Membership.objects.bulk_create([Membership(group=group, person=person) for group in there], ignore_conflicts=True)


def find_groups(group_ids: Collection[UUID], *, by: Caller) -> QuerySet[Group]:
    """All of them. Raises ValidationError for a group that is not there."""
    known = list_groups(by=by).filter(pk__in=group_ids)
    if len(known) != len(set(group_ids)):
        raise ValidationError(fields={"group_ids": ["One of these groups is no longer there."]})
    return known


def find_group(group_id: UUID, *, by: Caller) -> Group:
    """Raises GroupMissing, also for a group that is not the caller's to manage."""
    found = list_groups(by=by).filter(pk=group_id).first()
    if found is None:
        raise GroupMissing
    return found


@transaction.atomic
def create_group(
    *,
    name: str,
    members: Members = (),
    instrument_ids: Sequence[str] = (),
    claimed_as: str | None = None,
    by: Caller,
    at: datetime,
) -> Group:
    """Raises AdminsOnly, GroupExists, ClaimTaken, ValidationError for people and instruments that are not there."""
    if not by.is_admin:
        raise AdminsOnly("A new group")
    group = Group(name=name, claimed_as=claimed_as, created_at=at)
    _save(group, by=by)
    _set_members(group, members)
    _set_instruments(group, instrument_ids)
    return find_group(group.pk, by=by)


@transaction.atomic
def change_group(group_id: UUID, *, values: Mapping[str, Any], by: Caller) -> Group:
    """Replace what is named of the parts of a group. Managers say who is in theirs and its name, not what it has.

    Raises GroupMissing, AdminsOnly, GroupExists, ClaimTaken, ValidationError.
    """
    find_group(group_id, by=by)
    group = Group.objects.select_for_update(no_key=True).get(pk=group_id)
    if values.keys() & {"instrument_ids", "claimed_as"} and not by.is_admin:
        raise AdminsOnly("Giving instruments or a claim to a group, or taking them from it,")
    if values.keys() & {"name", "claimed_as"}:
        group.name, group.claimed_as = values.get("name", group.name), values.get("claimed_as", group.claimed_as)
        _save(group, by=by)
    if "members" in values:
        _set_members(group, values["members"])
    if "instrument_ids" in values:
        _set_instruments(group, values["instrument_ids"])
    return find_group(group_id, by=by)


@transaction.atomic
def delete_group(group_id: UUID, *, by: Caller) -> None:
    """Its instruments keep their visibility: those of no other group are then seen by admins alone."""
    find_group(group_id, by=by)
    if not by.is_admin:
        raise AdminsOnly("Deleting a group")
    Group.objects.filter(pk=group_id).delete()


def _save(group: Group, *, by: Caller) -> None:
    try:
        with transaction.atomic():
            group.save()
    except IntegrityError as error:
        if "one_group_per_claim" in str(error):
            raise ClaimTaken(group.claimed_as or "") from None
        is_seen = list_groups(by=by).filter(name__iexact=group.name).exclude(pk=group.pk).exists()
        raise GroupExists(group.name, is_seen=is_seen) from None


def _set_members(group: Group, members: Members) -> None:
    wanted = {member["person_id"]: member["role"] for member in members}
    known = set(User.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    if unknown := sorted(str(person) for person in wanted.keys() - known):
        raise ValidationError(fields={"members": [f"There is no such person: {person}." for person in unknown]})
    present = {one.person_id: one for one in group.memberships.all()}
    for person in present.keys() - wanted.keys():
        present[person].delete()
    for person, role in wanted.items():
        if person not in present:
            Membership.objects.create(group=group, person_id=person, role=role)
        elif present[person].role != role:
            present[person].role = role
            present[person].save(update_fields=["role"])


def _set_instruments(group: Group, instrument_ids: Sequence[str]) -> None:
    wanted = set(instrument_ids)
    known = set(Instrument.objects.filter(pk__in=wanted).values_list("pk", flat=True))
    if unknown := sorted(wanted - known):
        raise ValidationError(fields={"instrument_ids": [f"Unknown instrument: {name}." for name in unknown]})
    present = set(group.group_instruments.values_list("instrument_id", flat=True))
    GroupInstrument.objects.filter(group=group, instrument__in=present - wanted).delete()
    for instrument in sorted(wanted - present):
        GroupInstrument.objects.create(group=group, instrument_id=instrument)
