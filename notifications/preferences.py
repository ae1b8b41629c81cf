"""By which channels a person is notified, of which kinds and of which instruments."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from accounts.callers import Caller
from accounts.models import User
from instruments.models import Instrument
from notifications.models import CHOSEN_KINDS, Follow, NotificationKind, Preference
from wire.errors import Unauthorized, ValidationError


@dataclass(frozen=True)
class Channels:
    in_app: bool = True
    chat: bool = False
    email: bool | None = None  # None leaves it as it is
    email_daily: bool | None = None  # likewise; in one mail a day, where there is e-mail


@dataclass(frozen=True)
class NotificationSettings:
    kinds: Mapping[NotificationKind, Channels]
    followed_instruments: list[str]


def read_settings(*, by: Caller) -> NotificationSettings:
    """Every kind with its channels; kinds that were never set show their default."""
    user = _require_person(by)
    rows = Preference.objects.filter(user=user)
    stored = {row.kind: Channels(row.in_app, row.chat, row.email, row.email and row.email_daily) for row in rows}
    default = Channels(email=False, email_daily=False)
    follows = Follow.objects.visible_to(by).order_by("instrument_id").values_list("instrument_id", flat=True)
    return NotificationSettings({kind: stored.get(kind, default) for kind in CHOSEN_KINDS}, list(follows))


@transaction.atomic
def write_settings(
    *, kinds: Mapping[NotificationKind, Channels] | None, followed_instruments: list[str] | None, by: Caller
) -> NotificationSettings:
    """Change the kinds named and, where a list is given, the instruments followed. Raises ValidationError."""
    user = _require_person(by)
    for kind, channels in (kinds or {}).items():
        _write_channels(user, kind, channels)
    if followed_instruments is not None:
        _replace_follows(followed_instruments, user=user, by=by)
    return read_settings(by=by)


@transaction.atomic
def follow_instrument(*, instrument_id: str, follows: bool, by: Caller) -> None:
    """Follow one instrument, or stop. Both succeed when it is so already."""
    user = _require_person(by)
    if follows:
        Follow.objects.bulk_create([Follow(user=user, instrument_id=instrument_id)], ignore_conflicts=True)
    else:
        Follow.objects.filter(user=user, instrument_id=instrument_id).delete()


def _write_channels(user: User, kind: NotificationKind, channels: Channels) -> None:
    row = Preference.objects.filter(user=user, kind=kind).first()
    email = channels.email if channels.email is not None else bool(row and row.email)
    if kind is NotificationKind.GENERIC and not (channels.in_app or channels.chat or email):
        raise ValidationError(
            fields={"kinds.generic": ["Messages must reach you somewhere: in the app, by chat or by e-mail."]}
        )
    daily = channels.email_daily if channels.email_daily is not None else bool(row and row.email_daily)
    values = {"in_app": channels.in_app, "chat": channels.chat, "email": email, "email_daily": email and daily}
    Preference.objects.update_or_create(user=user, kind=kind, defaults=values)


def _replace_follows(instrument_ids: list[str], *, user: User, by: Caller) -> None:
    known = set(Instrument.objects.visible_to(by).filter(pk__in=instrument_ids).values_list("pk", flat=True))
    unknown = sorted(set(instrument_ids) - known)
    if unknown:
        texts = [f"Unknown instrument: {name}." for name in unknown]
        raise ValidationError(fields={"followed_instruments": texts})
    Follow.objects.visible_to(by).exclude(instrument_id__in=known).delete()
    wanted = [Follow(user=user, instrument_id=name) for name in sorted(known)]
    Follow.objects.bulk_create(wanted, ignore_conflicts=True)


def _require_person(by: Caller) -> User:
    if by.user is None:
        raise Unauthorized("Only people have settings.")
    return by.user
