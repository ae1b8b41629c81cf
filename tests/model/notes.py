"""What callers were told, and what may stand in the end after all of it."""

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass
class Write:
    """One attempt to give something a value. `ended` is infinite while nobody knows; `kept` is None where no answer
    came."""

    value: Any
    began: int
    ended: float = math.inf
    kept: bool | None = None


class Notes:
    """Values by name, as of one register each: whichever was written last, of those that may have been, stands."""

    def __init__(self) -> None:
        self._clock = itertools.count(1)
        self.writes: dict[Any, list[Write]] = defaultdict(list)

    def begin_with(self, name: Any, value: Any) -> None:
        self.writes[name].append(Write(value, 0, 0, kept=True))

    @contextmanager
    def writing(self, name: Any, value: Any) -> Iterator[Write]:
        """Set `kept` of what is given by the answer. Whoever dies within it leaves it open whether it stands."""
        write = Write(value, next(self._clock))
        self.writes[name].append(write)
        try:
            yield write
        finally:
            write.ended = next(self._clock)

    def possible(self, name: Any) -> list[Any]:
        """What may stand: values that no later write that was kept has replaced for certain."""
        writes = [one for one in self.writes[name] if one.kept is not False]
        return [
            one.value
            for one in writes
            if not any(other.kept and other.began > one.ended for other in writes if other is not one)
        ]
