"""A line that says how far a long command is, on a terminal only: a log or a cron mail wants none of it."""

import sys
import time
from types import TracebackType
from typing import Self, TextIO

from wire.sizes import format_size

REDRAW_SECONDS = 0.2
WIDTH = 24


class Progress:
    """A context. `total` is None where nobody knows how much there is."""

    def __init__(self, label: str, *, total: int | None = None, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.label, self.total, self.done, self.size_bytes = label, total, 0, 0
        self.shown = self.stream.isatty()
        self.began = self.drawn = time.monotonic()

    def add(self, count: int = 1, *, size_bytes: int = 0) -> None:
        self.set(self.done + count, size_bytes=self.size_bytes + size_bytes)

    def set(self, done: int, *, size_bytes: int = 0) -> None:
        self.done, self.size_bytes = done, size_bytes
        if self.shown and time.monotonic() - self.drawn > REDRAW_SECONDS:
            self.draw()

    def draw(self) -> None:
        self.drawn = time.monotonic()
        print(f"\r\033[K{self.text()}", end="", file=self.stream, flush=True)

    def text(self) -> str:
        """`objects ████████        41 %  41,000 of 100,000  1.2 GB  25 s left`"""
        told = [self.label, f"{self.done:,}"]
        share = min(self.done / self.total, 1.0) if self.total else None
        if share is not None:
            bar = ("█" * round(share * WIDTH)).ljust(WIDTH)
            told = [self.label, bar, f"{share:.0%}", f"{self.done:,} of {self.total:,}"]
        if self.size_bytes:
            told.append(format_size(self.size_bytes))
        if share:
            told.append(f"{(time.monotonic() - self.began) * (1 - share) / share:.0f} s left")
        return "  ".join(told)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.shown:
            print("\r\033[K", end="", file=self.stream, flush=True)
