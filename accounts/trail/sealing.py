"""Sealing the trail: links are added in batches, behind the writers, so that a change costs nothing more.

Rows are sealed in the order of their ids, and only those before which none can come any more: whoever holds a lower id
and has not committed is waited for. One sealer works at a time; a second finds its row locked and goes.
"""

import json
import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date
from hashlib import sha256

from django.db import transaction

from accounts.trail.seal_models import TrailChain, TrailSealer
from accounts.trail.seal_sql import TrailRow, add_links, list_writers, read_last_id, read_next_rows

log = logging.getLogger(__name__)
SEALER, FIRST_PREVIOUS = 1, bytes(32)
ROWS_PER_BATCH, SECONDS_PER_RUN = 5_000, 40.0


@dataclass(frozen=True)
class Head:
    """Where the chain of a day and table ends: to be kept where the database's owner cannot write."""

    kind: str
    day: date
    rows: int
    last_id: int
    sha256: str

    def to_json(self) -> str:
        return json.dumps(self.__dict__ | {"day": self.day.isoformat()})


def compute_link(previous: bytes, content: bytes) -> bytes:
    """SHA-256 of the link before and of the row's content, which is itself a SHA-256."""
    return sha256(previous + content).digest()


def head_of(chain: TrailChain) -> Head:
    return Head(chain.kind, chain.day, chain.rows_count, chain.last_id, bytes(chain.sha256).hex())


def list_last_chains(*, before: date | None = None) -> dict[str, TrailChain]:
    """The last chain of each table, by kind."""
    chains = TrailChain.objects.filter(day__lt=before) if before else TrailChain.objects.all()
    return {chain.kind: chain for chain in chains.order_by("kind", "-day").distinct("kind")}


def seal_trail(*, seconds: float = SECONDS_PER_RUN, size: int = ROWS_PER_BATCH) -> int:
    """Seal what can be sealed, for about so long. Returns how many rows were."""
    deadline, sealed = time.monotonic() + seconds, 0
    heads: dict[str, TrailChain] = {}
    while batch := _seal_batch(size=size):
        count, grown = batch
        sealed, heads = sealed + count, heads | grown
        if count < size or time.monotonic() > deadline:
            break
    if sealed:
        log.info("trail sealed, %d rows: %s", sealed, " ".join(head_of(one).to_json() for one in heads.values()))
    return sealed


@transaction.atomic
def _seal_batch(*, size: int) -> tuple[int, dict[str, TrailChain]] | None:
    """How many rows were sealed, and the chains that grew; None where another sealer is at work."""
    TrailSealer.objects.get_or_create(pk=SEALER)
    sealer = TrailSealer.objects.select_for_update(skip_locked=True).filter(pk=SEALER).first()
    if sealer is None:
        return None
    _advance_horizon(sealer)
    chains = list_last_chains()
    after = max(sealer.sealed_through, *(chain.last_id for chain in chains.values()), 0)
    rows = read_next_rows(after=after, through=sealer.safe_through, size=size)
    grown = _link_rows(rows, chains)
    sealer.sealed_through = rows[-1].id if len(rows) == size else max(after, sealer.safe_through)
    sealer.save()
    return len(rows), grown


def _advance_horizon(sealer: TrailSealer) -> None:
    """Ids first, writers second: who was given an id up to that one is among them, or has ended and can be read."""
    last_id, writers = read_last_id(), list_writers()
    if sealer.candidate_through is not None and not set(sealer.writers) & set(writers):
        sealer.safe_through, sealer.candidate_through = sealer.candidate_through, None
    if not writers:
        sealer.safe_through, sealer.candidate_through = last_id, None
    elif sealer.candidate_through is None:
        sealer.candidate_through, sealer.writers = last_id, writers


def _link_rows(rows: Iterable[TrailRow], chains: dict[str, TrailChain]) -> dict[str, TrailChain]:
    """The chains that grew; those of a day that is over are written on the way."""
    links: list[tuple[int, str, bytes, bytes]] = []
    grown: dict[str, TrailChain] = {}
    for row in rows:
        tip, day = chains.get(row.kind), row.at.astimezone(UTC).date()
        previous = bytes(tip.sha256) if tip else FIRST_PREVIOUS
        link = compute_link(previous, row.content)
        links.append((row.id, row.kind, previous, link))
        if tip is None or day > tip.day:  # a clock that was set back starts no day anew
            if row.kind in grown:
                grown[row.kind].save()
            tip = TrailChain(kind=row.kind, day=day, first_id=row.id, rows_count=0)
        tip.last_id, tip.sha256, tip.rows_count = row.id, link, tip.rows_count + 1
        chains[row.kind] = grown[row.kind] = tip
    if links:
        add_links(links)
    for chain in grown.values():
        chain.save()
    return grown
