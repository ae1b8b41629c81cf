"""Enrolment: a computer trades a code for a token and becomes the watcher of an instrument, in one step."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction

from accounts.callers import caller_for_token, caller_for_user
from accounts.models import Token
from accounts.scopes import PRESETS
from accounts.tokens import NewToken, create_token
from instruments.catalogue import create_instrument
from instruments.free_ids import create_under_free_id
from instruments.instrument_types import GENERIC
from instruments.models import Instrument
from watchers.choices import EventType, WatcherStatus
from watchers.enrolment_codes import lock_good_code
from watchers.models import EnrolmentCode, TakeOver, Watcher, WatcherEvent
from watchers.registration import lock_usable_instrument
from watchers.signals import watcher_taken_over
from wire.audit_context import audit_context, service_principal
from wire.ids import new_id

log = logging.getLogger(__name__)
ENROLMENT_PRINCIPAL = service_principal("enrolment")  # until the computer has a token of its own
MAX_TOKEN_NAME_CHARS = 100


@dataclass(frozen=True)
class Installation:
    """What an agent says of itself and its computer; `instance_id` is made once by each installation."""

    hostname: str
    instance_id: UUID
    os_info: str | None = None
    agent_version: str | None = None


@dataclass(frozen=True)
class Enrolment:
    """What a computer gets for its code. The token is told this once.

    `release_public_key` is what its agent trusts releases by, for good; None where they are not signed.
    """

    token: str
    instrument_id: str
    watcher_id: UUID
    public_url: str
    release_public_key: str | None = None


def enrol_computer(text: str, *, installation: Installation, at: datetime) -> Enrolment:
    """Spend a code. An active watcher of its instrument passes to this computer, and the old computer's token ends.

    Raises EnrolmentCodeNotGood, InstrumentInactive, InstrumentExists; the code stays good after the last two.
    """
    with transaction.atomic():
        code = lock_good_code(text, at=at)
        reason = f"a code made by {code.created_by.name}"
        with audit_context(ENROLMENT_PRINCIPAL, reason=reason):
            instrument = _find_or_announce(code, installation, at=at)
            token = _create_token(code, instrument, installation, at=at)
        with audit_context(caller_for_token(token.token).principal, reason=reason):
            watcher_id = _attach(instrument, token=token.token, installation=installation, at=at)
            _note_use(code, watcher_id, installation, at=at)
    told = {"code": str(code.pk), "instrument": instrument.pk, "watcher": str(watcher_id)}
    log.info("a computer was enrolled", extra=told | {"instance": str(installation.instance_id)})
    return Enrolment(token.text, instrument.pk, watcher_id, settings.PUBLIC_URL, settings.RELEASE_PUBLIC_KEY)


def installation_columns(installation: Installation) -> dict[str, Any]:
    """What a watcher keeps of the installation that it is from now on; a conflict with another one is settled by it."""
    return vars(installation) | {"other_instance_id": None, "instance_conflict_at": None}


def _find_or_announce(code: EnrolmentCode, installation: Installation, *, at: datetime) -> Instrument:
    by = caller_for_user(code.created_by)
    known_id = code.instrument_id or _announce_instrument(code, installation, at=at)
    return lock_usable_instrument(known_id, by=by)


def _announce_instrument(code: EnrolmentCode, installation: Installation, *, at: datetime) -> str:
    """The id of the new instrument: the one that was asked for, else the first free one after its name."""
    name = code.new_display_name or code.new_instrument_id or installation.hostname
    if code.new_instrument_id:
        return _create_instrument(code.new_instrument_id, name, code, at=at)
    return create_under_free_id(name, lambda free_id: _create_instrument(free_id, name, code, at=at))


def _create_instrument(instrument_id: str, display_name: str, code: EnrolmentCode, *, at: datetime) -> str:
    kind, by = code.new_instrument_type or GENERIC, caller_for_user(code.created_by)
    return create_instrument(instrument_id, display_name=display_name, instrument_type=kind, by=by, at=at).pk


def _create_token(code: EnrolmentCode, instrument: Instrument, installation: Installation, *, at: datetime) -> NewToken:
    return create_token(
        name=installation.hostname[:MAX_TOKEN_NAME_CHARS],
        scopes=PRESETS["Watcher"],
        by=code.created_by,
        instrument_ids=[instrument.pk],
        at=at,
    )


def _attach(instrument: Instrument, *, token: Token, installation: Installation, at: datetime) -> UUID:
    """The instrument is locked: no other watcher comes meanwhile."""
    columns = installation_columns(installation)
    former = Watcher.objects.active().filter(instrument=instrument).select_for_update(no_key=True).first()
    if former is None:
        made = Watcher.objects.create(instrument=instrument, token=token, created_at=at, updated_at=at, **columns)
        return made.pk
    Watcher.objects.filter(pk=former.pk).update(token=token, status=WatcherStatus.REGISTERED, updated_at=at, **columns)
    TakeOver.objects.create(watcher=former, former_token_id=former.token_id, token=token, taken_at=at)
    _end_token_without_watcher(former.token_id, at=at)
    _tell_of_take_over(former, hostname=installation.hostname, at=at)
    return former.pk


def _end_token_without_watcher(token_id: UUID, *, at: datetime) -> None:
    """The old computer is out in any case; a token that other computers work with goes on for those."""
    if not Watcher.objects.active().filter(token_id=token_id).exists():
        Token.objects.active().filter(pk=token_id).update(revoked_at=at)


def _tell_of_take_over(former: Watcher, *, hostname: str, at: datetime) -> None:
    WatcherEvent.objects.create(
        watcher=former,
        event_id=new_id(),
        event_type=EventType.TAKEN_OVER,
        happened_at=at,
        message=f"{hostname} took over from {former.hostname or 'another computer'} with an enrolment code.",
        details={"former_hostname": former.hostname, "hostname": hostname},
        received_at=at,
    )
    watcher_taken_over.send(Watcher, watcher=former, hostname=hostname, at=at)


def _note_use(code: EnrolmentCode, watcher_id: UUID, installation: Installation, *, at: datetime) -> None:
    EnrolmentCode.objects.filter(pk=code.pk).update(
        used_at=at, watcher=watcher_id, hostname=installation.hostname, instance_id=installation.instance_id
    )
