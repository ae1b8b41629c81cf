"""Is the trail what was sealed? Rows are hashed anew along the chains of their tables, and heads compared.

Whoever can write everything, the database's owner, can also seal anew what he altered, up to the newest head: that is
found by heads that were kept elsewhere.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from accounts.trail.seal_models import TrailChain, TrailDetachment, TrailLink, TrailSealer
from accounts.trail.seal_sql import (
    SealedRow,
    TrailRow,
    find_batch_end,
    list_rows_before_first,
    list_rows_behind_last,
    read_last_id,
    read_next_rows,
    read_sealed_rows,
)
from accounts.trail.sealing import FIRST_PREVIOUS, Head, compute_link, head_of, list_last_chains

ROWS_PER_BATCH = 10_000


class Fault(StrEnum):
    CHANGED = "changed"
    REMOVED = "removed"
    SLIPPED_IN = "slipped_in"
    SEALED_ANEW = "sealed_anew"
    HEAD = "head"


@dataclass(frozen=True)
class TrailFault:
    """What is not as it was sealed: a row of `kind` with this id, or a head that ends with it."""

    fault: Fault
    kind: str
    row_id: int
    told: str


@dataclass(frozen=True)
class Extent:
    """What is verified: rows behind `after` up to `through`, with the chains of each kind and the one before them.

    `gone` are the parts that were taken away on purpose: of their rows only the seals are there.
    """

    after: int
    through: int
    chains: dict[str, list[TrailChain]]
    before: dict[str, TrailChain]
    gone: dict[str, list[TrailDetachment]] = field(default_factory=dict)


class ChainWalk:
    """Along the chains of one table, link by link."""

    def __init__(
        self,
        kind: str,
        chains: Sequence[TrailChain],
        before: TrailChain | None,
        gone: Sequence[TrailDetachment] = (),
    ) -> None:
        self.kind, self.chains = kind, list(chains)
        self.absent = dict.fromkeys(gone, 0)
        self.last_id = before.last_id if before else 0
        self.sha256 = bytes(before.sha256) if before else FIRST_PREVIOUS
        self.begins_behind, self.count = self.last_id, 0

    def take(self, row: SealedRow) -> Iterator[TrailFault]:
        if row.id <= self.begins_behind:
            return  # of a day that was not asked for
        if row.previous is None or row.sha256 is None:
            yield self._fault(Fault.SLIPPED_IN, row.id, "the row has no seal, and those behind it have")
            return
        yield from self._close_chains(before=row.id)
        yield from self._judge(row, row.previous, row.sha256)
        self.last_id, self.sha256, self.count = row.id, row.sha256, self.count + 1

    def finish(self) -> Iterator[TrailFault]:
        yield from self._close_chains(before=None)
        for gone, absent in self.absent.items():
            if absent > gone.rows_count:
                told = f"{absent:,} rows of {gone.part} are not there, and {gone.rows_count:,} were taken away with it"
                yield self._fault(Fault.REMOVED, gone.first_id, told)

    def _judge(self, row: SealedRow, previous: bytes, sha256: bytes) -> Iterator[TrailFault]:
        """At most one fault a row."""
        gone = self._find_detachment(row)
        if row.content is None and gone is None:
            yield self._fault(Fault.REMOVED, row.id, "its seal is there, the row is not")
        elif row.content is not None and (row.found_kind != row.kind or compute_link(previous, row.content) != sha256):
            yield self._fault(Fault.CHANGED, row.id, f"it is not what was sealed (written {row.at:%Y-%m-%d %H:%M} UTC)")
        elif previous != self.sha256:
            told = f"row {self.last_id} was changed, or rows between it and {row.id} removed, together with their seals"
            yield self._fault(Fault.SEALED_ANEW, self.last_id or row.id, told)
        elif not self.chains or row.id < self.chains[0].first_id:
            yield self._fault(Fault.SLIPPED_IN, row.id, "it has a seal, and no day's chain has it")

    def _find_detachment(self, row: SealedRow) -> TrailDetachment | None:
        """The part with which a row that is not there was taken away."""
        if row.content is None:
            for gone in self.absent:
                if gone.first_id <= row.id <= gone.last_id:
                    self.absent[gone] += 1
                    return gone
        return None

    def _close_chains(self, *, before: int | None) -> Iterator[TrailFault]:
        while self.chains and (before is None or self.chains[0].last_id < before):
            chain = self.chains.pop(0)
            if (chain.last_id, bytes(chain.sha256), chain.rows_count) != (self.last_id, self.sha256, self.count):
                told = (
                    f"the chain of {chain.day} has {self.count:,} seals up to {self.last_id}, not {chain.rows_count:,}"
                )
                yield self._fault(Fault.HEAD, chain.last_id, f"{told} up to {chain.last_id}, or its head differs")
            self.count = 0

    def _fault(self, fault: Fault, row_id: int, told: str) -> TrailFault:
        return TrailFault(fault, self.kind, row_id, told)


def find_extent(*, since: date | None = None) -> Extent:
    """All that is sealed by now, or the days from `since` on. What the sealer adds meanwhile is not among it."""
    known = TrailSealer.objects.values_list("sealed_through", flat=True).first() or 0
    chains: dict[str, list[TrailChain]] = {}
    for chain in TrailChain.objects.order_by("kind", "day"):
        chains.setdefault(chain.kind, []).append(chain)
    through = max(known, *(one.last_id for days in chains.values() for one in days), 0)
    gone: dict[str, list[TrailDetachment]] = {}
    for part in TrailDetachment.objects.all():
        gone.setdefault(part.kind, []).append(part)
    if since is None:
        return Extent(0, through, chains, {}, gone)
    asked = {kind: [one for one in days if one.day >= since] for kind, days in chains.items()}
    begins = min((days[0].first_id - 1 for days in asked.values() if days), default=through)
    return Extent(begins, through, asked, list_last_chains(before=since), gone)


def verify_rows(extent: Extent, *, tell: Callable[[int], object] = lambda count: None) -> Iterator[TrailFault]:
    """What was changed, removed or slipped in, in the order of the rows; `tell` hears of rows that were read."""
    yield from (_slipped_in(row) for row in list_rows_before_first())
    walks: dict[str, ChainWalk] = {kind: _begin_walk(kind, extent) for kind in extent.chains}
    after = extent.after
    while after < extent.through:
        end = find_batch_end(after=after, through=extent.through, size=ROWS_PER_BATCH)
        rows = read_sealed_rows(after=after, through=end)
        for row in rows:
            walk = walks.get(row.kind) or walks.setdefault(row.kind, _begin_walk(row.kind, extent))
            yield from walk.take(row)
        after = end
        tell(len(rows))
    for walk in walks.values():
        yield from walk.finish()
    yield from (_slipped_in(row) for row in list_rows_behind_last())


def _slipped_in(row: TrailRow) -> TrailFault:
    return TrailFault(Fault.SLIPPED_IN, row.kind, row.id, "nothing of this service gave the row its number")


def verify_heads(heads: Iterable[Head]) -> Iterator[TrailFault]:
    """Heads that were kept elsewhere against the links of today: all that a head stands for is under it."""
    for head in heads:
        link = TrailLink.objects.filter(pk=head.last_id, kind=head.kind).first()
        if link is None:
            told = f"the head kept of {head.day} ends with this row, which has no seal any more: rows were taken away"
            yield TrailFault(Fault.HEAD, head.kind, head.last_id, told)
        elif bytes(link.sha256).hex() != head.sha256:
            told = f"the head kept of {head.day} differs: this row or one before it is another, and was sealed anew"
            yield TrailFault(Fault.HEAD, head.kind, head.last_id, told)


def parse_heads(lines: Iterable[str]) -> list[Head]:
    """Heads as `Head.to_json` writes them, a line each. Raises ValueError for others."""
    try:
        told = [json.loads(line) for line in lines if line.strip()]
        return [Head(**one | {"day": date.fromisoformat(one["day"]), "last_id": int(one["last_id"])}) for one in told]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not a head: {error}") from None


def list_heads() -> list[Head]:
    """The newest of each table."""
    return [head_of(chain) for _, chain in sorted(list_last_chains().items())]


def count_waiting(*, limit: int = 1_000) -> int:
    """Rows that no seal protects yet; at most `limit` are counted."""
    through = find_extent().through
    return len(read_next_rows(after=through, through=read_last_id(), size=limit))


def _begin_walk(kind: str, extent: Extent) -> ChainWalk:
    return ChainWalk(kind, extent.chains.get(kind, ()), extent.before.get(kind), extent.gone.get(kind, ()))
