"""Enrolment codes: made by admins, shown once, good once (docs/interface.md, Enrolment).

A code is 16 letters and digits, none of which looks like another: 78 random bits, so its plain SHA-256 tells nothing.
"""

import hashlib
import logging
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.callers import Caller
from instruments.catalogue import InstrumentExists, find_instrument
from instruments.instrument_types import is_registered
from instruments.models import Instrument
from watchers.models import EnrolmentCode
from watchers.registration import refuse_inactive
from wire.errors import NotFound, Unauthorized, ValidationError
from wire.telemetry.security_events import SecurityEvent, record_security_event

log = logging.getLogger(__name__)
ALPHABET = "ABCDEFGHJKMNPQRSTVWXYZ23456789"
GROUPS, GROUP_LENGTH = 4, 4
SEPARATORS = re.compile(r"[-\s]")
DEFAULT_LIFETIME, MAX_LIFETIME = timedelta(minutes=15), timedelta(days=7)
MAX_CODES = 200


class EnrolmentCodeNotGood(NotFound):
    def __init__(self) -> None:
        super().__init__("This code is unknown, was used before, or has ended.")


@dataclass(frozen=True)
class NewInstrument:
    """What is known of an instrument that is announced when the code is used. Without an id it gets a free one then."""

    id: str | None = None
    display_name: str | None = None
    instrument_type: str | None = None


@dataclass(frozen=True)
class NewEnrolmentCode:
    """A code in its groups, which is never to be had again. `instrument_id` is None until a new one has its id."""

    id: UUID
    code: str
    instrument_id: str | None
    expires_at: datetime


def create_codes(
    *,
    instrument_id: str | None = None,
    new_instrument: NewInstrument | None = None,
    count: int = 1,
    lifetime: timedelta = DEFAULT_LIFETIME,
    by: Caller,
    at: datetime,
) -> Sequence[NewEnrolmentCode]:
    """Make codes for an instrument, or each for a new one.

    Raises ValidationError, InstrumentMissing, InstrumentInactive, InstrumentExists.
    """
    if by.user is None:
        raise Unauthorized("Only a person can hand out enrolment codes.")
    purpose = _read_purpose(instrument_id, new_instrument, count=count, by=by)
    texts = [generate_code() for _ in range(count)]
    rows = [
        EnrolmentCode(digest=code_digest(text), created_by=by.user, created_at=at, expires_at=at + lifetime, **purpose)
        for text in texts
    ]
    EnrolmentCode.objects.bulk_create(rows)
    target = purpose.get("instrument_id") or purpose.get("new_instrument_id")
    log.info("enrolment codes were made", extra={"count": count, "instrument": target, "by": str(by.user.pk)})
    return [NewEnrolmentCode(row.pk, text, target, row.expires_at) for row, text in zip(rows, texts, strict=True)]


def find_code(code_id: UUID) -> EnrolmentCode | None:
    """With the watcher that it made, once it was used; None once it is forgotten."""
    return EnrolmentCode.objects.filter(pk=code_id).select_related("watcher__instrument").first()


def lock_good_code(text: str, *, at: datetime) -> EnrolmentCode:
    """The code, locked, so that of many who use it at once one does. Within a transaction.

    Raises EnrolmentCodeNotGood, after the same work whatever is wrong with the text.
    """
    good = EnrolmentCode.objects.good(at).filter(digest=code_digest(text)).select_related("created_by")
    code = good.select_for_update(of=("self",)).first()
    if code is None:
        record_security_event(SecurityEvent.SPENT_LINK, what="enrolment code")
        raise EnrolmentCodeNotGood
    return code


def forget_ended_codes(*, at: datetime) -> int:
    """Delete codes whose time is over, used ones too; who made and used them stays in the trail. How many they were."""
    return EnrolmentCode.objects.filter(expires_at__lte=at).delete()[0]


def generate_code() -> str:
    """As it is shown: `ABCD-EFGH-JKMN-PQRS`."""
    return "-".join("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))


def code_digest(text: str) -> str:
    """Of a code as somebody may type it: in lower case, with spaces or nothing between its groups."""
    return hashlib.sha256(SEPARATORS.sub("", text).upper().encode()).hexdigest()


def _read_purpose(
    instrument_id: str | None, new_instrument: NewInstrument | None, *, count: int, by: Caller
) -> dict[str, Any]:
    """The columns that say what the codes are for."""
    if (instrument_id is None) == (new_instrument is None):
        raise ValidationError(fields={"instrument_id": ["Either this or new_instrument is needed, and not both."]})
    if new_instrument is None:
        instrument = find_instrument(str(instrument_id), by=by)
        refuse_inactive(instrument)
        return {"instrument_id": instrument.pk}
    _check_new_instrument(new_instrument, count=count)
    return {
        "new_instrument_id": new_instrument.id,
        "new_display_name": new_instrument.display_name,
        "new_instrument_type": new_instrument.instrument_type,
    }


def _check_new_instrument(new: NewInstrument, *, count: int) -> None:
    if new.instrument_type is not None and not is_registered(new.instrument_type):
        raise ValidationError(fields={"new_instrument.instrument_type": ["There is no such instrument type."]})
    if new.id is not None and count > 1:
        raise ValidationError(fields={"count": ["Several new instruments cannot share one id; leave the id out."]})
    if new.id is not None and Instrument.objects.filter(id=new.id).exists():
        raise InstrumentExists(new.id)
