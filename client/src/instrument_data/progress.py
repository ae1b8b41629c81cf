"""A bar for transfers: in a terminal or a notebook by itself, elsewhere only where it is asked for."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn


class Bar(Protocol):
    """What a caller may hand in to draw progress by other means; called from several threads."""

    def start(self, what: str, total_bytes: int) -> None: ...

    def advance(self, count: int) -> None: ...

    def stop(self) -> None: ...


class NoBar:
    def start(self, what: str, total_bytes: int) -> None:
        """Nobody looks."""

    def advance(self, count: int) -> None:
        """Nobody looks."""

    def stop(self) -> None:
        """Nobody looks."""


class RichBar:
    def __init__(self) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
        self._progress = Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)

    def start(self, what: str, total_bytes: int) -> None:
        self._progress.start()
        self._task = self._progress.add_task(what, total=total_bytes)

    def advance(self, count: int) -> None:
        self._progress.advance(self._task, count)

    def stop(self) -> None:
        self._progress.stop()


def bar_for(progress: bool | Bar | None) -> Bar:
    """None decides by itself: a person looks at a terminal or a notebook, which draws bars with ipywidgets only."""
    if progress is None:
        progress = sys.stderr.isatty() or ("ipykernel" in sys.modules and find_spec("ipywidgets") is not None)
    if isinstance(progress, bool):
        return RichBar() if progress else NoBar()
    return progress
