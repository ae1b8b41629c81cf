"""The database before `./ids serve --demo`: filled where it is empty, left alone where a laboratory has its own."""

import io
import json
from datetime import datetime
from pathlib import Path

from django.core.management import CommandError, call_command
from django.db import transaction

from accounts.models import Token
from accounts.scopes import PRESETS
from accounts.tokens import create_token, digest_of, find_token, new_text
from config.demo.player import INSTRUMENT, NAME, SECRETS
from instruments.models import Instrument, InstrumentStatus
from watchers.models import Watcher

TOKEN = "Watcher of the simulated instrument"
REFUSED = 3  # the exit code


class LaboratoryInTheWay(CommandError):
    def __init__(self) -> None:
        super().__init__(
            "There is a laboratory in the database already, and --demo fills an empty one only: choose another --data.",
            returncode=REFUSED,
        )


def prepare_demo(folder: Path, *, at: datetime) -> None:
    """Idempotent. `folder` then holds what the simulated instrument and the computers beside the others sign in with.

    Raises LaboratoryInTheWay where instruments are kept that no demo made.
    """
    with transaction.atomic():
        if not Instrument.objects.filter(id=INSTRUMENT).exists():
            _fill(at=at)
    if not _is_signed_in(folder / SECRETS, at=at):
        _write_private(folder / SECRETS, {"agent": _make_agent_token(at=at), "computers": _renew_computers(at=at)})


def _fill(*, at: datetime) -> None:
    if Instrument.objects.exists():
        raise LaboratoryInTheWay
    call_command("seed_demo", stdout=io.StringIO())
    Instrument.objects.create(
        id=INSTRUMENT, display_name=NAME, status=InstrumentStatus.ACTIVE, time_zone="UTC", created_at=at
    )


def _is_signed_in(file: Path, *, at: datetime) -> bool:
    try:
        return find_token(json.loads(file.read_text())["agent"], at=at) is not None
    except (OSError, ValueError, KeyError):
        return False


def _make_agent_token(*, at: datetime) -> str:
    return create_token(name=TOKEN, scopes=PRESETS["Watcher"], by=None, at=at).text


def _renew_computers(*, at: datetime) -> dict[str, str]:
    """Watchers of the seeded instruments that are to be seen at work, each with the new text of its token."""
    online = Watcher.objects.online(at).exclude(instrument_id=INSTRUMENT)
    texts = {}
    for watcher in online:
        texts[str(watcher.pk)] = text = new_text()
        Token.objects.filter(pk=watcher.token_id).update(digest=digest_of(text), prefix=text[:12])
    return texts


def _write_private(file: Path, content: object) -> None:
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps(content))
