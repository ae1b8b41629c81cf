"""Tokens that are bound to instruments and ask for what lies outside them. They read that nothing is there."""

from typing import Any

from django.db.models import QuerySet

from accounts.callers import Caller
from wire.telemetry.security_events import SecurityEvent, record_security_event


def note_foreign_row(everything: QuerySet[Any], *, by: Caller) -> None:
    """Tell of a try, where the row that a bound token did not find exists. `everything` sees all instruments."""
    if by.instrument_ids is not None and (found := everything.values_list("pk", flat=True).first()) is not None:
        kind = everything.model._meta.model_name
        record_security_event(SecurityEvent.FOREIGN_INSTRUMENT, object_kind=kind, object_id=found)
