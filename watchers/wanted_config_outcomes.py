"""What became of a wanted configuration, as its agent says."""

from datetime import datetime
from typing import Any
from uuid import UUID

from watchers.choices import WantedConfigState
from watchers.models import WantedConfig

MAX_REASON_CHARS = 10_000


def note_taken(watcher_id: UUID, *, checksum: str, wanted_checksum: str | None, at: datetime) -> None:
    """The agent runs the one with this checksum, which is the wanted one or was made of it."""
    wanted = WantedConfig.objects.filter(watcher_id=watcher_id, config_checksum__in=[checksum, wanted_checksum or ""])
    taken = wanted.exclude(state=WantedConfigState.TAKEN)
    taken.update(state=WantedConfigState.TAKEN, settled_at=at, taken_checksum=checksum, refusal=None)


def note_refused(watcher_id: UUID, *, details: dict[str, Any] | None, message: str, at: datetime) -> None:
    """The agent tried the one of `details.checksum`, and stays with what it runs because of `details.reason`."""
    told = details or {}
    checksum, reason = told.get("checksum"), told.get("reason")
    reason = reason if isinstance(reason, str) and reason else message
    if not isinstance(checksum, str):
        return
    wanted = WantedConfig.objects.filter(watcher_id=watcher_id, config_checksum=checksum)
    refused = wanted.filter(state=WantedConfigState.WAITING)
    refused.update(state=WantedConfigState.REFUSED, settled_at=at, refusal=reason[:MAX_REASON_CHARS])
