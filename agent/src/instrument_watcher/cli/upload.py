"""instrument-watcher upload: single files, now, into a run of the caller's choice."""

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import rich_click as click
from click.exceptions import Exit
from rich.live import Live
from rich.markup import escape
from rich.text import Text

from instrument_watcher.activity import Activity
from instrument_watcher.assembly import pace_of
from instrument_watcher.chronicle import Chronicle
from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.model import Config, UploadMode
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.journal.files import Found
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.logs import LOGGER
from instrument_watcher.reporting.events import send_events
from instrument_watcher.reporting.runs import RunReporter
from instrument_watcher.service.api import Service
from instrument_watcher.service.store import Store
from instrument_watcher.sizes import bytes_text, count_text
from instrument_watcher.terminal.live import transfer_bars
from instrument_watcher.uploading.uploader import Uploader
from instrument_watcher.watching.names import path_fault, run_id_fault
from instrument_watcher.watching.scanning import LeadsOut, sight

ATTEMPTS = 4
WAIT_SECONDS = 2.0


@dataclass(frozen=True)
class Errand:
    """One file, the folder its relative path begins at, and the run it goes to."""

    root: Path
    path: str
    run_id: str


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--run", "run_id", required=True, metavar="ID", help="The run that the files belong to.")
@common
def upload(call: Call, *, files: Sequence[Path], run_id: str) -> None:
    """Upload FILES to a run, whatever the patterns and the grouping say.

    Works beside a running agent, which then counts files of its folder as done. A file that is there already is not
    sent again.
    """
    if fault := run_id_fault(run_id):
        raise AgentError(fault, code=ExitCode.USAGE)
    config = call.config()
    logging.getLogger(LOGGER).setLevel(logging.DEBUG if call.output.verbose else logging.CRITICAL)
    rows = [_upload(call, config, errand_for(file, config.watch_directory, run_id)) for file in files]
    call.output.result({"files": [_result(row) for row in rows]})
    failed = [row for row in rows if row.state not in (FileState.UPLOADED, FileState.DISMISSED)]
    if failed:
        call.output.bad(f"{count_text(len(failed), 'file')} not uploaded")
        raise Exit(ExitCode.NOT_UPLOADED)


def errand_for(file: Path, watched: Path, run_id: str) -> Errand:
    """A file of the watched directory keeps its path in it; another goes by its name."""
    place = file.absolute()
    if place.is_relative_to(watched):
        return Errand(watched, place.relative_to(watched).as_posix(), run_id)
    return Errand(place.parent, place.name, run_id)


def _upload(call: Call, config: Config, errand: Errand) -> FileRow:
    """The file's line at the end. It has a journal of its own; the agent's learns of the result."""
    journal, activity = Journal(Path(":memory:")), Activity()
    service = call.service(config)
    try:
        row = _enter(journal, errand)
        working = threading.Thread(target=_attempt_all, args=(config, errand, journal, activity, service), daemon=True)
        working.start()
        _show_until_done(call, activity, working)
        row = journal.files.get(row.id) or row
        _tell(call, row)
        _note_in_agents_journal(call, errand, row)
        _send_events(config, journal, service)
        return row
    finally:
        journal.close()


def _enter(journal: Journal, errand: Errand) -> FileRow:
    try:
        sighting = sight(errand.root, errand.path)
    except LeadsOut:
        sighting = None
    fault = path_fault(errand.path) or (None if sighting else "It is no file of its folder.")
    if fault is not None or sighting is None:
        raise AgentError(f"{errand.path}: {fault}", code=ExitCode.NOT_UPLOADED)
    journal.files.add_found([Found(errand.path, sighting, run_id=errand.run_id)])
    row = journal.files.find(errand.path)
    assert row is not None, "what was just entered is there"
    return row


def _attempt_all(config: Config, errand: Errand, journal: Journal, activity: Activity, service: Service) -> None:
    """Report and upload, a few times where the way is bad. What went wrong stands in the journal."""
    config = replace(config, watch_directory=errand.root, upload_mode=UploadMode.AUTO)
    chronicle, stop = Chronicle(journal, activity), threading.Event()
    reporter = RunReporter(config, journal, chronicle, service)
    uploader = Uploader(
        errand.root, config.instrument_id, journal=journal, chronicle=chronicle, activity=activity, service=service,
        store=Store(), pace=pace_of(config, stop), on_change=config.on_change,
    )  # fmt: skip
    for attempt in range(ATTEMPTS):
        row = journal.files.find(errand.path)
        if row is None or row.state not in (FileState.FOUND, FileState.REPORTED):
            return
        if attempt:
            time.sleep(WAIT_SECONDS * 2**attempt)
        try:
            reporter.report()
            row = journal.files.find(errand.path)
            if row is not None and row.state is FileState.REPORTED:
                uploader.upload(row)
        except AgentError as error:
            if row is not None:
                journal.queue.postpone(row.id, until=0, reason=f"{error.message} {error.remedy}".strip())


def _show_until_done(call: Call, activity: Activity, working: threading.Thread) -> None:
    if call.output.as_json or not call.output.console.is_terminal:
        working.join()
        return
    with Live(Text(""), console=call.output.console, transient=True, refresh_per_second=8) as live:
        while working.is_alive():
            live.update(transfer_bars(activity.transfers()))
            working.join(0.1)


def _tell(call: Call, row: FileRow) -> None:
    name, size = escape(row.path), bytes_text(row.sighting.size)
    if row.state is FileState.UPLOADED:
        call.output.ok(f"{name} [dim]{size}, file {row.file_id}, sha256 {(row.sha256 or '')[:12]}…[/]")
    elif row.state is FileState.DISMISSED:
        call.output.warn(f"{name} [dim]{escape(row.reason or '')}[/]")
    else:
        call.output.bad(f"{name}: {escape(row.reason or 'not uploaded')}")


def _note_in_agents_journal(call: Call, errand: Errand, row: FileRow) -> None:
    config = call.config()
    if row.state is not FileState.UPLOADED or errand.root != config.watch_directory or not call.home.journal.exists():
        return
    agents = Journal(call.home.journal)
    try:
        with agents.transaction():
            known = agents.files.find(row.path)
            if known is None or known.state is not FileState.UPLOADED:
                agents.files.add_found([Found(row.path, row.sighting, run_id=row.run_id)])
                known = agents.files.find(row.path)
                assert known is not None, "what was just entered is there"
                agents.mark_uploaded(known, file_id=row.file_id or 0, sha256=row.sha256 or "")
    finally:
        agents.close()


def _send_events(config: Config, journal: Journal, service: Service) -> None:
    """The dashboard shows what was done by hand as well; that it could not be told is no failure."""
    try:
        send_events(journal.events, service, watcher_id=config.watcher_id or "")
    except AgentError:
        return


def _result(row: FileRow) -> dict[str, object]:
    return {
        "path": row.path, "run_id": row.run_id, "state": row.state.value, "file_id": row.file_id,
        "size_bytes": row.sighting.size, "sha256": row.sha256, "reason": row.reason,
    }  # fmt: skip
