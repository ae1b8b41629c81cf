"""Saving the rules of an instrument, as far as this installation can follow them."""

from collections.abc import Mapping
from dataclasses import replace

from accounts.callers import Caller
from files.storage import cold_store
from instruments.retention import Retention, change_retention, find_retention
from instruments.retention_rules import COLD_RULE
from wire.errors import ValidationError

NO_COLD_STORE = "There is no cold store: COLD_DIRECTORY or COLD_S3_BUCKET names one."


def save_rules(instrument_id: str, days: Mapping[str, int | None], *, by: Caller) -> Retention:
    """Rules of purging that are left out become null; that of cold files stays. Raises InstrumentMissing."""
    known = find_retention(instrument_id, by=by)
    asked = replace(Retention(cold_raw_after_days=known.cold_raw_after_days), **days)
    if asked.cold_raw_after_days not in (None, known.cold_raw_after_days) and cold_store() is None:
        raise ValidationError(fields={COLD_RULE: [NO_COLD_STORE]})
    return change_retention(instrument_id, retention=asked, by=by)
