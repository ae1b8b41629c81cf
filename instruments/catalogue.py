"""The catalogue: finding, adding and changing instruments."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction

from accounts.callers import Caller
from accounts.foreign_rows import note_foreign_row
from instruments.groups.models import GroupInstrument, GroupRole, Membership
from instruments.instrument_types import GENERIC, is_registered
from instruments.models import Instrument, InstrumentQuerySet, InstrumentStatus, Visibility
from instruments.signals import instrument_deactivated
from wire.errors import Conflict, Forbidden, NotFound, ValidationError
from wire.queries.compiled import CompiledQuery
from wire.time_zones import known_time_zones
from wire.versions import ANY_VERSION, ExpectedVersions

PAGE_NAMES = frozenset({"new", "selection"})  # of pages under /instruments
SHOWN_INSTRUMENT = CompiledQuery(
    lambda bound, instrument_id: Instrument.objects.within(bound).with_details().filter(id=instrument_id)
)


class InstrumentMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such instrument.")


class InstrumentExists(Conflict):
    def __init__(self, instrument_id: str) -> None:
        super().__init__(f"The instrument {instrument_id} exists already.", instrument_id=instrument_id)


class BoundTokenCannotCreate(Forbidden):
    def __init__(self) -> None:
        super().__init__("This token is bound to its instruments and cannot create others.")


class Unchanged(Enum):
    """Of a field whose null means something."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


@dataclass(frozen=True)
class InstrumentChange:
    """What a PATCH may set; None leaves a field as it is, but `expect_files_every_hours`: UNCHANGED does."""

    display_name: str | None = None
    status: InstrumentStatus | None = None
    instrument_type: str | None = None
    time_zone: str | None = None
    visibility: Visibility | None = None
    expect_files_every_hours: int | Unchanged | None = UNCHANGED

    def to_columns(self) -> dict[str, Any]:
        given = {name: value for name, value in vars(self).items() if value is not None and value is not UNCHANGED}
        return given | ({"expect_files_every_hours": None} if self.expect_files_every_hours is None else {})


def list_instruments(*, status: InstrumentStatus | None = None, by: Caller) -> InstrumentQuerySet:
    """By name, each with the file patterns of its active watcher."""
    instruments = Instrument.objects.visible_to(by).with_details()
    if status is not None:
        instruments = instruments.filter(status=status)
    return instruments.order_by("display_name", "id")


def find_instrument(instrument_id: str, *, by: Caller) -> Instrument:
    """The instrument as it is shown, or InstrumentMissing."""
    found = SHOWN_INSTRUMENT.first(by.instrument_ids, instrument_id)
    if found is None:
        note_foreign_row(Instrument.objects.filter(id=instrument_id), by=by)
        raise InstrumentMissing
    return found


def create_instrument(
    instrument_id: str,
    *,
    display_name: str | None = None,
    instrument_type: str = GENERIC,
    time_zone: str | None = None,
    status: InstrumentStatus = InstrumentStatus.PENDING,
    by: Caller,
    at: datetime,
) -> Instrument:
    """Announce an instrument; it is pending until somebody confirms it. The constraint decides between two at once.

    Raises ValidationError, InstrumentExists, BoundTokenCannotCreate.
    """
    zone = time_zone or settings.TIME_ZONE
    _check_change(InstrumentChange(instrument_type=instrument_type, time_zone=zone))
    if instrument_id in PAGE_NAMES:
        raise ValidationError(fields={"id": ["Another page has this address."]})
    if by.instrument_ids is not None:
        raise BoundTokenCannotCreate
    try:
        with transaction.atomic():
            Instrument.objects.create(
                id=instrument_id,
                display_name=display_name or instrument_id,
                instrument_type=instrument_type,
                time_zone=zone,
                status=status,
                created_at=at,
                updated_at=at,
            )
    except IntegrityError:
        if not Instrument.objects.filter(id=instrument_id).exists():
            raise
        raise InstrumentExists(instrument_id) from None
    return find_instrument(instrument_id, by=by)


def check_rule_over(instrument_id: str, *, by: Caller) -> None:
    """Raises Forbidden for people who are neither admins nor managers of the instrument; scopes bound tokens."""
    if by.is_person and not by.rules(instrument_id):
        raise Forbidden("This needs the admin role.")


def check_rule_over_groups(instrument: Instrument, *, by: Caller) -> None:
    """Whether a person may show everybody what these groups have. Raises Forbidden."""
    if by.is_admin or not by.is_person:
        return
    others = GroupInstrument.objects.filter(instrument=instrument).exclude(
        group__memberships__in=Membership.objects.filter(person=by.user, role=GroupRole.MANAGER)
    )
    if others.exists():
        raise Forbidden("Another group has this instrument, too: an admin decides whether everybody sees it.")


@transaction.atomic
def change_instrument(
    instrument_id: str,
    *,
    change: InstrumentChange,
    expected: ExpectedVersions = ANY_VERSION,
    by: Caller,
    at: datetime,
) -> Instrument:
    """Confirm, rename, retire. Only what differs is written, so that two changes of different fields both survive."""
    _check_change(change)
    instrument = Instrument.objects.visible_to(by).select_for_update(no_key=True).filter(id=instrument_id).first()
    if instrument is None:
        raise InstrumentMissing
    check_rule_over(instrument_id, by=by)
    expected.require(*instrument.changeable_values)
    asked = change.to_columns()
    differing = [name for name, value in asked.items() if getattr(instrument, name) != value]
    if change.visibility == Visibility.EVERYONE and "visibility" in differing:
        check_rule_over_groups(instrument, by=by)
    if differing:
        for name in differing:
            setattr(instrument, name, asked[name])
        instrument.updated_at = at
        instrument.save(update_fields=[*differing, "updated_at"])
    if "status" in differing and instrument.status == InstrumentStatus.INACTIVE:
        instrument_deactivated.send(sender=Instrument, instrument=instrument, by=by, at=at)
    return find_instrument(instrument_id, by=by)


def _check_change(change: InstrumentChange) -> None:
    faults = {}
    if change.instrument_type is not None and not is_registered(change.instrument_type):
        faults["instrument_type"] = ["There is no such instrument type."]
    if change.time_zone is not None and change.time_zone not in known_time_zones():
        faults["time_zone"] = ["An IANA name is needed, such as Europe/Berlin."]
    if faults:
        raise ValidationError(fields=faults)
