"""For how long the bytes of an instrument are kept. What goes by that, and when: the app `retention`."""

from dataclasses import asdict, dataclass, fields
from datetime import datetime, timedelta
from typing import Literal

from django.db import transaction

from accounts.callers import Caller
from instruments.catalogue import find_instrument
from instruments.models import Instrument
from instruments.retention_rules import RetentionRule


@dataclass(frozen=True)
class Retention:
    """Days by rule; None is for ever."""

    purge_deleted_after_days: int | None = None
    expire_raw_after_days: int | None = None
    expire_processed_after_days: int | None = None
    expire_archives_after_days: int | None = None
    cold_raw_after_days: int | None = None

    def ends_before(self, rule: RetentionRule | Literal["cold_raw_after_days"], *, at: datetime) -> datetime | None:
        """What is from before this moment goes (or becomes cold) by the rule; None where nothing does."""
        days: int | None = getattr(self, rule)
        return None if days is None else at - timedelta(days=days)


def retention_of(instrument: Instrument) -> Retention:
    return Retention(**{field.name: getattr(instrument, field.name) for field in fields(Retention)})


def find_retention(instrument_id: str, *, by: Caller) -> Retention:
    """Raises InstrumentMissing."""
    return retention_of(find_instrument(instrument_id, by=by))


@transaction.atomic
def change_retention(instrument_id: str, *, retention: Retention, by: Caller) -> Retention:
    """All rules at once. Raises InstrumentMissing."""
    known = find_instrument(instrument_id, by=by)
    instrument = Instrument.objects.select_for_update(no_key=True).get(pk=known.pk)
    changed = {name: days for name, days in asdict(retention).items() if getattr(instrument, name) != days}
    for name, days in changed.items():
        setattr(instrument, name, days)
    if changed:
        instrument.save(update_fields=list(changed))
    return retention
