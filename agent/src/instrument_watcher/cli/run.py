"""instrument-watcher run: the agent, in the foreground."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from types import FrameType

import rich_click as click
from click.exceptions import Exit
from filelock import FileLock, Timeout

from instrument_watcher.agent import Agent
from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.reading import load_config
from instrument_watcher.duties import Outcome
from instrument_watcher.ending import Ending
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import Home
from instrument_watcher.journal import database
from instrument_watcher.journal.database import JournalUnavailable
from instrument_watcher.journal.journal import replace_damaged
from instrument_watcher.logs import begin_logging
from instrument_watcher.releases.supervisor import SUPERVISED
from instrument_watcher.terminal.live import show_header, watch_live, watch_quietly
from instrument_watcher.token_file import read_token


class AlreadyRunning(AgentError):
    def __init__(self, home: Home) -> None:
        super().__init__(
            f"Another agent runs with {home.folder}.",
            remedy="See it with: instrument-watcher status. Give another instrument's agent a --home of its own.",
            code=ExitCode.ALREADY_RUNNING,
        )


@click.command()
@click.option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    envvar="INSTRUMENT_WATCHER_LOG_FORMAT",
    show_envvar=True,
    help="Of the lines that are printed.",
)
@common
def run(call: Call, *, log_format: str) -> None:
    """Watch the folder and upload, until Ctrl-C.

    In a terminal it shows what is going on; elsewhere, as in a service, it writes log lines.
    """
    if log_format == "json":
        call = replace(call, output=replace(call.output, as_json=True))
    ending = Ending()
    _end_on_signals(ending)
    if SUPERVISED in os.environ:
        threading.Thread(target=_end_with_supervisor, args=[ending], daemon=True).start()
    code = run_locked(call, ending=ending)
    if code is ExitCode.RESTART and sys.platform != "win32" and SUPERVISED not in os.environ:
        os.execv(sys.executable, [sys.executable, "-m", "instrument_watcher", *sys.argv[1:]])
    raise Exit(code)


def run_locked(call: Call, *, ending: Ending) -> ExitCode:
    """Run until told to stop, alone with this home. RESTART: another version was installed meanwhile."""
    load_config(call.home.config)  # before anything is made or locked
    read_token(call.home.token)
    call.home.make()
    begin_logging(call.home, console=call.output.console, as_json=call.output.as_json, verbose=call.output.verbose)
    try:
        with FileLock(call.home.lock).acquire(timeout=0):
            outcome = run_agents(call, ending=ending)
    except Timeout:
        raise AlreadyRunning(call.home) from None
    goes_on = outcome is Outcome.UPDATED and not ending.is_asked()
    return ExitCode.RESTART if goes_on else ExitCode.OK


def run_agents(call: Call, *, ending: Ending) -> Outcome:
    """One agent after the other, a new one for each change of the configuration and each damage of the journal."""
    while True:
        agent = _make_agent(call, ending)
        if agent is None:
            return Outcome.STOPPED
        ending.stops(agent.stop)
        outcome = agent.run(wait=_waiting(call, agent))
        if outcome is Outcome.JOURNAL_DAMAGED:
            replace_damaged(call.home.journal).close()
        elif outcome is not Outcome.RECONFIGURED:
            return outcome


def _make_agent(call: Call, ending: Ending) -> Agent | None:
    """Waits where the journal is locked or its disk is full. None where the end is asked for."""
    while not ending.is_asked():
        try:
            return Agent(call.home)
        except JournalUnavailable:
            ending.wait(database.RETRY_SECONDS)
    return None


def _waiting(call: Call, agent: Agent) -> Callable[[threading.Event], None]:
    if call.output.as_json or not call.output.console.is_terminal:
        return lambda stop: watch_quietly(agent.parts, stop)
    show_header(agent.parts, call.output.console)
    return lambda stop: watch_live(agent.parts, call.output.console, stop)


def _end_with_supervisor(ending: Ending) -> None:
    """It closes our stdin to end us; that happens, too, when it is killed."""
    while os.read(0, 1):
        pass
    ending.ask()


def _end_on_signals(ending: Ending) -> None:
    def end(number: int, frame: FrameType | None) -> None:
        ending.ask()

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)
