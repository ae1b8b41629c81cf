"""Instruments that admins add themselves, for files that no watcher sends."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.callers import Caller
from instruments.catalogue import InstrumentChange, change_instrument, create_instrument
from instruments.free_ids import create_under_free_id
from instruments.groups.catalogue import add_to_groups
from instruments.instrument_types import GENERIC
from instruments.models import Instrument, InstrumentStatus, Visibility


@dataclass(frozen=True)
class NewByHand:
    """What is asked of an instrument; without an id it gets the first free one after its name."""

    display_name: str
    id: str | None = None
    instrument_type: str = GENERIC
    time_zone: str | None = None
    group_ids: Collection[UUID] = ()


@transaction.atomic
def add_instrument_by_hand(new: NewByHand, *, by: Caller, at: datetime) -> Instrument:
    """An instrument that is active at once: who adds it has confirmed it. With groups, they and admins alone see it.

    Raises ValidationError, InstrumentExists.
    """
    made = _create(new.id, new, by=by, at=at) if new.id else _create_by_name(new, by=by, at=at)
    if not new.group_ids:
        return made
    add_to_groups(made, new.group_ids, by=by)
    return change_instrument(made.pk, change=InstrumentChange(visibility=Visibility.GROUPS), by=by, at=at)


def _create_by_name(new: NewByHand, *, by: Caller, at: datetime) -> Instrument:
    return create_under_free_id(new.display_name, lambda free_id: _create(free_id, new, by=by, at=at))


def _create(instrument_id: str, new: NewByHand, *, by: Caller, at: datetime) -> Instrument:
    return create_instrument(
        instrument_id,
        display_name=new.display_name,
        instrument_type=new.instrument_type,
        time_zone=new.time_zone,
        status=InstrumentStatus.ACTIVE,
        by=by,
        at=at,
    )
