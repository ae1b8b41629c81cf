"""What `run` shows in a terminal: the log scrolls, and below it stands what is going on."""

import threading
import time
from contextlib import suppress

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from instrument_watcher import __version__
from instrument_watcher.activity import Phase, Transfer
from instrument_watcher.assembly import Parts
from instrument_watcher.config.model import UploadMode
from instrument_watcher.journal.database import JournalUnavailable, JournalUnreadable
from instrument_watcher.sizes import bytes_text, count_text, seconds_text
from instrument_watcher.snapshot import Publisher
from instrument_watcher.terminal import tables
from instrument_watcher.terminal.look import Signs, signs
from instrument_watcher.words import clock_text

REFRESH = 4  # a second
PATH_WIDTH = 36


def show_header(parts: Parts, console: Console) -> None:
    config = parts.config
    mode = "uploads everything" if config.upload_mode is UploadMode.AUTO else "uploads on request"
    look = signs(console)
    rows = [
        ("instrument", f"{escape(config.instrument_id)} [dim]{look.between} {mode}[/]"),
        ("from", escape(str(config.watch_directory))),
        ("to", escape(config.server)),
    ]
    console.print(tables.framed(f"instrument-watcher {__version__}", tables.facts(rows), look))


def watch_live(parts: Parts, console: Console, stop: threading.Event) -> None:
    """Draw until the agent stops."""
    publisher, footer = Publisher(parts), Footer(parts, signs(console))
    with Live(footer, console=console, refresh_per_second=REFRESH, transient=True):
        while not stop.wait(1.0):
            publisher.publish()


def watch_quietly(parts: Parts, stop: threading.Event) -> None:
    """For services: keep the snapshot fresh, say nothing."""
    publisher = Publisher(parts)
    while not stop.wait(5.0):
        publisher.publish()


class Footer:
    """Drawn anew several times a second, from what the agent's threads are doing."""

    def __init__(self, parts: Parts, look: Signs) -> None:
        self._parts, self._look = parts, look
        self._counted_at, self._waiting = 0.0, 0

    def __rich__(self) -> RenderableType:
        transfers = self._parts.activity.transfers()
        bars = [transfer_bars(transfers)] if transfers else []
        return Group(Text(""), *bars, self._state())

    def _state(self) -> Text:
        activity = self._parts.activity
        between = (f"  {self._look.between}  ", "dim")
        pieces = [self._link()]
        if activity.settling:
            pieces.append((f"{activity.settling:,} being written", ""))
        pieces.append((f"{self._count_waiting():,} waiting", ""))
        pieces.append((f"{count_text(activity.counted('files'), 'file')} uploaded", ""))
        if errors := activity.counted("errors"):
            pieces.append((count_text(errors, "error"), "bad"))
        if until := self._parts.pause.until():
            pieces.append((f"paused until {clock_text(until)}", "warn"))
        if activity.is_folder_away:
            pieces.append(("the folder is away", "warn"))
        line = Text()
        for number, (text, style) in enumerate(pieces):
            if number:
                line.append(*between)
            line.append(text, style=style)
        return line

    def _link(self) -> tuple[str, str]:
        link = self._parts.link
        if link.away_since is None:
            return f"{self._look.dot} connected", "ok"
        return f"{self._look.dot} away for {seconds_text(time.monotonic() - link.away_since)}", "warn"

    def _count_waiting(self) -> int:
        """Asked of the journal once a second."""
        if time.monotonic() - self._counted_at > 1:
            with suppress(JournalUnavailable, JournalUnreadable):
                self._waiting = self._parts.journal.queue.count_waiting()
            self._counted_at = time.monotonic()
        return self._waiting


def transfer_bars(transfers: list[Transfer]) -> Table:
    progress = Progress(
        TextColumn("{task.fields[phase]}", style="busy"),
        TextColumn("{task.description}"),
        BarColumn(bar_width=28),
        TextColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.fields[speed]}", style="dim"),
    )
    for transfer in transfers:
        span = max(0.001, time.monotonic() - transfer.began)
        speed = transfer.done / span
        left = (transfer.size - transfer.done) / speed if speed else 0
        progress.add_task(
            escape(shortened(transfer.path)),
            total=max(1, transfer.size),
            completed=transfer.done if transfer.size else 1,
            phase="reading  " if transfer.phase is Phase.HASHING else "uploading",
            speed=f"{bytes_text(speed)}/s, {seconds_text(left)} left" if span > 1 else bytes_text(transfer.size),
        )
    return progress.make_tasks_table(progress.tasks)


def shortened(path: str, width: int = PATH_WIDTH) -> str:
    """The end of a path says most."""
    return path if len(path) <= width else "…" + path[1 - width :]
