"""The database before `./ids serve --demo`: filled where it is empty, left alone where a laboratory has its own."""

import io
import json
from datetime import datetime
from pathlib import Path

from django.core.management import CommandError, call_command
from django.db import transaction

from accounts.models import Token
from accounts.scopes import PRESETS
from accounts.token_texts import generate_token_text, token_digest
from accounts.tokens import create_token, find_token
from instruments.models import Instrument, InstrumentStatus
from operations.demo.simulator import INSTRUMENT, NAME, SECRETS_FILE
from watchers.models import Watcher

AGENT_TOKEN_NAME = "Watcher of the simulated instrument"
REFUSED_EXIT_CODE = 3  # the exit code


class LaboratoryExists(CommandError):
    def __init__(self) -> None:
        super().__init__(
            "There is a laboratory in the database already, and --demo fills an empty one only: choose another --data.",
            returncode=REFUSED_EXIT_CODE,
        )


def prepare_demo(folder: Path, *, at: datetime) -> None:
    """Idempotent. `folder` then holds what the simulated instrument and the computers beside the others sign in with.

    Raises LaboratoryInTheWay where instruments are kept that no demo made.
    """
    with transaction.atomic():
        if not Instrument.objects.filter(id=INSTRUMENT).exists():
            _fill_database(at=at)
    if not _holds_valid_token(folder / SECRETS_FILE, at=at):
        _write_private(folder / SECRETS_FILE, {"agent": _make_agent_token(at=at), "computers": _renew_computers(at=at)})


def _fill_database(*, at: datetime) -> None:
    if Instrument.objects.exists():
        raise LaboratoryExists
    call_command("seed_demo", stdout=io.StringIO())
    Instrument.objects.create(
        id=INSTRUMENT, display_name=NAME, status=InstrumentStatus.ACTIVE, time_zone="UTC", created_at=at
    )


def _holds_valid_token(file: Path, *, at: datetime) -> bool:
    try:
        return find_token(json.loads(file.read_text())["agent"], at=at) is not None
    except (OSError, ValueError, KeyError):
        return False


def _make_agent_token(*, at: datetime) -> str:
    return create_token(name=AGENT_TOKEN_NAME, scopes=PRESETS["Watcher"], by=None, at=at).text


def _renew_computers(*, at: datetime) -> dict[str, str]:
    """Watchers of the seeded instruments that are to be seen at work, each with the new text of its token."""
    online = Watcher.objects.online(at).exclude(instrument_id=INSTRUMENT)
    texts = {}
    for watcher in online:
        texts[str(watcher.pk)] = text = generate_token_text()
        Token.objects.filter(pk=watcher.token_id).update(digest=token_digest(text), prefix=text[:12])
    return texts


def _write_private(file: Path, content: object) -> None:
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps(content))
