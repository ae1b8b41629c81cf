"""The command line."""

import io
import sys

import rich_click as click

from instrument_watcher import __version__
from instrument_watcher.cli.check import check
from instrument_watcher.cli.config import config
from instrument_watcher.cli.init import init
from instrument_watcher.cli.open import open_page
from instrument_watcher.cli.run import run
from instrument_watcher.cli.self_test import self_test
from instrument_watcher.cli.service import service
from instrument_watcher.cli.state import state
from instrument_watcher.cli.status import status
from instrument_watcher.cli.update import update
from instrument_watcher.cli.upload import upload
from instrument_watcher.terminal.look import make_console

NAME = "instrument-watcher"

click.rich_click.COMMAND_GROUPS = {
    NAME: [
        {"name": "Begin", "commands": ["init", "check", "service"]},
        {"name": "Every day", "commands": ["run", "status", "open", "upload"]},
        {"name": "Now and then", "commands": ["config", "state", "update"]},
    ]
}
click.rich_click.STYLE_OPTION = "blue"
click.rich_click.STYLE_COMMAND = "blue"
click.rich_click.STYLE_SWITCH = "blue"
click.rich_click.STYLE_METAVAR = "bright_black"
click.rich_click.STYLE_USAGE = "bold"
click.rich_click.STYLE_OPTION_DEFAULT = "bright_black"
click.rich_click.STYLE_OPTION_ENVVAR = "bright_black"
click.rich_click.MAX_WIDTH = 100


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name=NAME)
def cli() -> None:
    """Brings what an instrument writes to the Instrument Data Service, losing nothing."""


for command in (init, check, service, run, status, open_page, upload, config, state, update, self_test):
    cli.add_command(command)


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a code page without the letters of a file's name is no reason to end
            stream.reconfigure(errors="backslashreplace")
    try:
        cli(prog_name=NAME, windows_expand_args=False)  # "*" is a pattern, on Windows too
    except KeyboardInterrupt:
        make_console(stderr=True).print("Interrupted.", style="dim")
        raise SystemExit(130) from None
