"""instrument-watcher status: what the agent does and has done."""

import time
from pathlib import Path
from typing import Any

import rich_click as click
from filelock import FileLock, Timeout
from rich.markup import escape
from rich.table import Table

from instrument_watcher.activity import Phase, Transfer
from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.model import Config, UploadMode
from instrument_watcher.home import Home
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.reporting.heartbeat import HEARD_AT
from instrument_watcher.sizes import bytes_text, count_text, seconds_text
from instrument_watcher.snapshot import SNAPSHOT
from instrument_watcher.terminal import tables
from instrument_watcher.terminal.live import transfer_bars
from instrument_watcher.words import FOLDERS, STATES, clock_text


@click.command()
@click.option("--files", "shown", type=click.IntRange(0, 1000), default=5, show_default=True, help="How many to list.")
@common
def status(call: Call, *, shown: int) -> None:
    """Show what the agent does and has done. Reads the journal; asks the service nothing."""
    config = call.config()
    has_run = call.home.journal.exists()
    journal = Journal(call.home.journal if has_run else Path(":memory:"))
    try:
        data = gather(journal, config, running=is_running(call.home), shown=shown)
        call.output.result(data)
        if not call.output.as_json:
            _show(call, journal, data, shown)
        if not has_run:
            call.output.say("The agent has not run yet. Start it with: [accent]instrument-watcher run[/]")
    finally:
        journal.close()


def is_running(home: Home) -> bool:
    """Whether an agent holds the lock."""
    if not home.lock.exists():
        return False
    lock = FileLock(home.lock)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def gather(journal: Journal, config: Config, *, running: bool, shown: int) -> dict[str, Any]:
    """Everything, as `--json` shows it."""
    snapshot = journal.facts.get(SNAPSHOT) or {}
    return {
        "running": running,
        "instrument_id": config.instrument_id,
        "watcher_id": config.watcher_id,
        "server": config.server,
        "watch_directory": str(config.watch_directory),
        "upload_mode": config.upload_mode.value,
        "pid": snapshot.get("pid") if running else None,
        "started_at": snapshot.get("started_at") if running else None,
        "away_because": snapshot.get("away_because") if running else None,
        "transfers": snapshot.get("transfers", []) if running else [],
        "held_because": (snapshot.get("held_because") or None) if running else None,
        "paused_until": snapshot.get("paused_until") if running else None,
        "folder": snapshot.get("folder") if running else None,
        "heard_at": journal.facts.get(HEARD_AT),
        "scanned_at": snapshot.get("scanned_at"),
        "is_folder_away": running and bool(snapshot.get("is_folder_away")),
        "files": {
            state.value: {"count": count, "bytes": size} for state, (count, size) in journal.overview.summary().items()
        },
        "waiting_uploads": journal.queue.count_waiting(),
        "waiting_events": len(journal.events),
        "stopped_runs": journal.runs.stopped(),
        "latest": [_row(row) for row in journal.overview.latest(FileState.UPLOADED, limit=shown)],
        "trouble": [_row(row) for row in journal.overview.with_trouble(limit=max(shown, 5))],
    }


def _row(row: FileRow) -> dict[str, Any]:
    return {
        "path": row.path, "run_id": row.run_id, "size_bytes": row.sighting.size, "state": row.state.value,
        "file_id": row.file_id, "sha256": row.sha256, "uploaded_at": row.uploaded_at, "reason": row.reason,
    }  # fmt: skip


def _show(call: Call, journal: Journal, data: dict[str, Any], shown: int) -> None:
    output, look = call.output, call.output.signs
    output.say(tables.framed(data["instrument_id"], tables.facts(_head(data, look.dot)), look))
    latest = journal.overview.latest(FileState.UPLOADED, limit=shown)
    trouble = journal.overview.with_trouble(limit=max(shown, 5))
    shown_tables = [
        transfer_bars([_transfer(row) for row in data["transfers"]]) if data["transfers"] else None,
        _state_table(journal, UploadMode(data["upload_mode"]), look.table) if data["files"] else None,
        _latest_table(latest, look.table) if latest else None,
        _trouble_table(trouble, look.table) if trouble else None,
    ]
    for table in filter(None, shown_tables):
        output.say()
        output.say(table)


def _head(data: dict[str, Any], dot: str) -> list[tuple[str, str]]:
    now = time.time()
    if not data["running"]:
        state = f"[bad]{dot}[/] not running"
    elif data["away_because"]:
        state = f"[warn]{dot}[/] running, and the service is away: {escape(data['away_because'])}"
    elif data["held_because"]:
        state = f"[bad]{dot}[/] running, and nothing is sent: {escape(data['held_because'])}"
    elif data["paused_until"]:
        state = f"[warn]{dot}[/] running, and uploads are paused until {clock_text(data['paused_until'])}"
    else:
        state = (
            f"[ok]{dot}[/] running for {seconds_text(now - data['started_at'])}" if data["started_at"] else "running"
        )
    heard = f"{seconds_text(now - data['heard_at'])} ago" if data["heard_at"] else "never"
    scanned = f"{seconds_text(now - data['scanned_at'])} ago" if data["scanned_at"] else "never"
    looked = f"[warn]{FOLDERS[data['folder']]}[/]" if data["is_folder_away"] else f"[dim]looked through {scanned}[/]"
    return [
        ("agent", state),
        ("service", f"{escape(data['server'])} [dim]answered {heard}[/]"),
        ("folder", f"{escape(data['watch_directory'])} {looked}"),
    ]


def _state_table(journal: Journal, mode: UploadMode, box: Any) -> Table:
    summary, table = journal.overview.summary(), tables.plain(box, ("files", "left"), ("", "right"), ("size", "right"))
    for state, (word, style) in STATES.items():
        if state in summary:
            count, size = summary[state]
            if state is FileState.REPORTED and mode is UploadMode.MANUAL:
                word = "reported, uploaded when asked for"
            table.add_row(f"[{style}]{word}[/]", f"{count:,}", bytes_text(size))
    if events := len(journal.events):
        table.add_row(f"[dim]{count_text(events, 'event')} to be sent[/]", "", "")
    return table


def _latest_table(rows: list[FileRow], box: Any) -> Table:
    table = tables.plain(box, ("latest uploads", "left"), ("run", "left"), ("size", "right"), ("at", "right"))
    for row in rows:
        at = (row.uploaded_at or "")[:19].replace("T", " ")
        table.add_row(escape(row.path), escape(row.run_id or ""), bytes_text(row.sighting.size), f"[dim]{at}Z[/]")
    return table


def _trouble_table(rows: list[FileRow], box: Any) -> Table:
    table = tables.plain(box, ("needs attention", "left"), ("why", "left"))
    for row in rows:
        word, style = STATES[row.state]
        table.add_row(f"[{style}]{escape(row.path)}[/]", escape(row.reason or word))
    return table


def _transfer(row: dict[str, Any]) -> Transfer:
    return Transfer(row["path"], row["size"], phase=Phase(row["phase"]), done=row["done"])
