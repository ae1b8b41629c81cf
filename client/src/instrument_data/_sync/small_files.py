# Made by client/make_sync.py from _sync/small_files.py: change that one.
"""Many small files in few round trips: their addresses in one, what arrived in another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from instrument_data.errors import ServiceError, Unauthorized

if TYPE_CHECKING:
    from instrument_data._sync.connection import Connection
    from instrument_data.local_files import Described

SMALL = 1 << 20  # bytes up to which a file goes with others; it is never sent in parts
TOGETHER = 50  # files, of the 200 that the service takes

Item = TypeVar("Item")


def groups_of(items: Sequence[Item], *, parallel: int) -> Iterator[Sequence[Item]]:
    """As many as go at a time, before they become as long as they may."""
    size = max(1, min(TOGETHER, -(-len(items) // parallel)))
    for start in range(0, len(items), size):
        yield items[start : start + size]


@dataclass(frozen=True)
class Together:
    """The two routes of a run that take several files."""

    connection: Connection
    run_path: str

    def ask_for_tickets(self, orders: Sequence[dict[str, Any]]) -> list[dict[str, Any] | None]:
        """In the order asked; None for a file that has to be asked for alone, and then hears why."""
        return self._ask("files:batch", {"files": orders}, len(orders))

    def confirm(self, sent: Mapping[int, Described]) -> list[Described]:
        """Those of them, by the ids of their records, whose bytes are stored now."""
        if not sent:
            return []
        records = self._ask("files:confirm", {"file_ids": list(sent)}, len(sent))
        pairs = zip(sent.values(), records, strict=True)
        return [described for described, record in pairs if record is not None and described.is_what(record)]

    def _ask(self, route: str, body: dict[str, Any], count: int) -> list[dict[str, Any] | None]:
        try:
            answer = self.connection.ask("POST", f"{self.run_path}/{route}", body=body)
        except Unauthorized:
            raise
        except ServiceError:
            return [None] * count
        return [result["body"] if result["status"] == 200 else None for result in answer["results"]]
