# Made by client/make_sync.py from _sync/small_files.py: change that one.
"""Many small files in few round trips: their addresses in one, what arrived in another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from instrument_data.errors import ServiceError, Unauthorized

if TYPE_CHECKING:
    from instrument_data._sync.connection import Connection

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

    def confirm(self, file_ids: Sequence[int]) -> list[bool]:
        """Which of them are stored now."""
        if not file_ids:
            return []
        answers = self._ask("files:confirm", {"file_ids": file_ids}, len(file_ids))
        return [answer is not None for answer in answers]

    def _ask(self, route: str, body: dict[str, Any], count: int) -> list[dict[str, Any] | None]:
        try:
            answer = self.connection.ask("POST", f"{self.run_path}/{route}", body=body)
        except Unauthorized:
            raise
        except ServiceError:
            return [None] * count
        return [result["body"] if result["status"] == 200 else None for result in answer["results"]]
