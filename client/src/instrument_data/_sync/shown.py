"""What only one face can have: `len()` and a table in a notebook cannot wait. Written by hand in both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from instrument_data.html import table

SHOWN_ROWS = 20

if TYPE_CHECKING:
    from typing import Protocol

    class Listing(Protocol):
        def count(self) -> int: ...

        def first(self, count: int) -> list[Any]: ...

        def _head(self) -> Sequence[str]: ...

        def _row(self, one: Any) -> Sequence[Any]: ...


class Counted:
    """Ask with `len()` too; a notebook shows the first rows."""

    def __len__(self: Listing) -> int:
        return self.count()

    def __bool__(self: Listing) -> bool:
        return bool(self.first(1))

    def _repr_html_(self: Listing) -> str:
        rows, total = self.first(SHOWN_ROWS), self.count()
        return table(self._head(), [self._row(one) for one in rows], caption=f"{len(rows)} of {total}")
