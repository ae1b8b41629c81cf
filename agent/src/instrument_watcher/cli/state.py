"""instrument-watcher state: what the journal knows of each file, whether the service agrees, and forgetting it."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import rich_click as click
from click.exceptions import Exit
from rich.markup import escape

from instrument_watcher.cli.options import Call, common
from instrument_watcher.comparing import compare_with_service
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.sizes import bytes_text, count_text
from instrument_watcher.terminal import tables
from instrument_watcher.words import STATES

LISTED = 1000


@click.group()
def state() -> None:
    """What the journal knows of each file: list, check, forget."""


@state.command(name="list")
@click.argument("prefix", default="")
@click.option("--state", "only", type=click.Choice([state.value for state in FileState]), help="Only these.")
@click.option("--limit", type=click.IntRange(1), default=LISTED, show_default=True, help="How many to list.")
@common
def list_files(call: Call, *, prefix: str, only: str | None, limit: int) -> None:
    """List the files whose path begins with PREFIX: state, run, hash and reason."""
    with _journal(call) as journal:
        found = (row for row in journal.files.below(prefix) if only in (None, row.state.value))
        rows = list(islice(found, limit + 1))
    shown = rows[:limit]
    call.output.result({"files": [_data(row) for row in shown], "is_cut_off": len(rows) > limit})
    table = tables.plain(call.output.signs.table, ("file", "left"), ("state", "left"), ("size", "right"), ("", "left"))
    for row in shown:
        word, style = STATES[row.state]
        note = escape(row.reason or (f"file {row.file_id}" if row.state is FileState.UPLOADED else ""))
        table.add_row(escape(row.path), f"[{style}]{word}[/]", bytes_text(row.sighting.size), f"[dim]{note}[/]")
    call.output.say(table if shown else "The journal knows no such file.")
    if len(rows) > limit:
        call.output.warn(f"There are more than {limit:,}; say --limit or a longer prefix.")


@state.command()
@click.argument("prefix", default="")
@common
def check(call: Call, *, prefix: str) -> None:
    """Ask the service whether it holds what the journal counts as uploaded. Changes nothing."""
    config = call.config()
    with _journal(call) as journal:
        result = compare_with_service(journal, call.service(config), instrument_id=config.instrument_id, prefix=prefix)
    differing = [_data(one.row) | {"difference": one.what} for one in result.differences]
    call.output.result({"agreeing": result.agreeing, "differing": differing})
    for one in result.differences:
        call.output.bad(f"{escape(one.row.path)}: {escape(one.what)}")
    if result.differences:
        call.output.say("To have them looked at anew: [accent]instrument-watcher state forget PREFIX[/]")
        raise Exit(ExitCode.NOT_UPLOADED)
    call.output.ok(f"The service holds {count_text(result.agreeing, 'file')} as the journal says")


@state.command()
@click.argument("prefix")
@common
def forget(call: Call, *, prefix: str) -> None:
    """Forget the files whose path begins with PREFIX ("" for all).

    The agent looks at them anew, and learns from the service what is stored: that is not sent again.
    """
    with _journal(call) as journal:
        forgotten = journal.forget_below(prefix)
    call.output.result({"forgotten": forgotten})
    call.output.ok(f"{count_text(forgotten, 'file')} forgotten; the agent looks at what is there anew")


@contextmanager
def _journal(call: Call) -> Iterator[Journal]:
    if not call.home.journal.exists():
        raise AgentError("There is no journal yet.", remedy="Run: instrument-watcher run", code=ExitCode.CONFIGURATION)
    journal = Journal(call.home.journal)
    try:
        yield journal
    finally:
        journal.close()


def _data(row: FileRow) -> dict[str, Any]:
    return {
        "path": row.path, "state": row.state.value, "run_id": row.run_id, "size_bytes": row.sighting.size,
        "file_id": row.file_id, "sha256": row.sha256, "uploaded_at": row.uploaded_at, "reason": row.reason,
    }  # fmt: skip
