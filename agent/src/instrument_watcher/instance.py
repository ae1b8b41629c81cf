"""Which installation this is: an id that a copy of the disk on another computer does not share.

The id lies in the agent's home with the network cards of the computer that made it. Where none of them is there, the
home was copied, and the copy gets an id of its own. That one of the two must go, the service notices: both send
heartbeats as one watcher.
"""

import hashlib
import json
import logging
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from instrument_watcher.platforms.machine import card_addresses

log = logging.getLogger("instrument_watcher")


@dataclass(frozen=True)
class _Instance:
    id: str
    cards: frozenset[str]  # hashed


def instance_id(path: Path, *, cards: frozenset[str] | None = None) -> str:
    """The id of this installation, made where there is none, or where the one there is another computer's."""
    cards = card_addresses() if cards is None else cards
    known = _read(path)
    if known is None or _is_elsewhere(known, cards):
        new = str(uuid.uuid4())
        if known is not None:
            log.warning("This installation was copied from another computer; its id is %s now.", new)
        _write(path, new, _hashed(new, cards))
        return new
    current = _hashed(known.id, cards)
    if not current <= known.cards:  # a card more, or another one beside one that stayed
        _write(path, known.id, known.cards | current)
    return known.id


def _is_elsewhere(known: _Instance, cards: frozenset[str]) -> bool:
    return bool(known.cards and cards) and known.cards.isdisjoint(_hashed(known.id, cards))


def _hashed(salt: str, cards: Iterable[str]) -> frozenset[str]:
    return frozenset(hashlib.sha256(f"{salt} {card}".encode()).hexdigest()[:16] for card in cards)


def _read(path: Path) -> _Instance | None:
    try:
        content = json.loads(path.read_text("utf-8"))
        return _Instance(str(uuid.UUID(content["instance_id"])), frozenset(content["cards"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _write(path: Path, instance: str, cards: frozenset[str]) -> None:
    """In one step. Where nothing can be written the id holds until the next start."""
    new = path.with_name(path.name + ".new")
    try:
        new.write_text(json.dumps({"instance_id": instance, "cards": sorted(cards)}) + "\n", encoding="utf-8")
        new.replace(path)
    except OSError as error:
        log.warning("%s cannot be written: %s", path, error.strerror)
