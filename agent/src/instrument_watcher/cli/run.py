"""instrument-watcher run: the agent, in the foreground."""

import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

import rich_click as click
from click.exceptions import Exit
from filelock import FileLock, Timeout

from instrument_watcher.agent import Agent
from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.reading import load_config
from instrument_watcher.duties import Outcome
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.home import Home
from instrument_watcher.logs import begin_logging
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
@common
def run(call: Call) -> None:
    """Watch the folder and upload, until Ctrl-C.

    In a terminal it shows what is going on; elsewhere, as in a service, it writes log lines.
    """
    code = run_locked(call, on_agent=_end_on_signals)
    if code is ExitCode.RESTART and sys.platform != "win32":
        os.execv(sys.executable, [sys.executable, "-m", "instrument_watcher", *sys.argv[1:]])
    raise Exit(code)


def run_locked(call: Call, *, on_agent: Callable[[Agent], None]) -> ExitCode:
    """Run until told to stop, alone with this home. RESTART: another version was installed meanwhile."""
    load_config(call.home.config)  # before anything is made or locked
    read_token(call.home.token)
    call.home.make()
    begin_logging(call.home, console=call.output.console, as_json=call.output.as_json, verbose=call.output.verbose)
    try:
        with FileLock(call.home.lock).acquire(timeout=0):
            outcome = run_agents(call, on_agent=on_agent)
    except Timeout:
        raise AlreadyRunning(call.home) from None
    return ExitCode.RESTART if outcome is Outcome.UPDATED else ExitCode.OK


def run_agents(call: Call, *, on_agent: Callable[[Agent], None]) -> Outcome:
    """One agent after the other, a new one for each change of the configuration."""
    while True:
        agent = Agent(call.home)
        on_agent(agent)
        outcome = agent.run(wait=_waiting(call, agent))
        if outcome is not Outcome.RECONFIGURED:
            return outcome


def _waiting(call: Call, agent: Agent) -> Callable[[threading.Event], None]:
    if call.output.as_json or not call.output.console.is_terminal:
        return lambda stop: watch_quietly(agent.parts, stop)
    show_header(agent.parts, call.output.console)
    return lambda stop: watch_live(agent.parts, call.output.console, stop)


def _end_on_signals(agent: Agent) -> None:
    def end(number: int, frame: FrameType | None) -> None:
        agent.stop()

    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), end)
