"""instrument-watcher open: the agent's page, in a browser of this computer."""

import os
import subprocess
import sys
import webbrowser
from pathlib import Path

import rich_click as click
from rich.markup import escape

from instrument_watcher.cli.options import Call, common
from instrument_watcher.cli.status import is_running
from instrument_watcher.errors import AgentError
from instrument_watcher.local_page.keys import SECONDS, Purpose
from instrument_watcher.local_page.local_page import address_to_open


@click.command("open")
@click.option("--no-browser", is_flag=True, help="Print the address only.")
@common
def open_page(call: Call, *, no_browser: bool) -> None:
    """Show in a browser what the running agent does; there it can be paused, too.

    The address is for this computer alone, and good once and for a minute.
    """
    call.config()
    if not is_running(call.home):
        raise AgentError(
            f"No agent runs with {call.home.folder}.",
            remedy="Start it with: instrument-watcher service start, or instrument-watcher run",
        )
    address = address_to_open(call.home)
    is_shown = not (no_browser or call.output.as_json) and show_in_browser(address)
    call.output.result({"address": address, "seconds": SECONDS[Purpose.TICKET]})
    if call.output.as_json:
        return
    if is_shown:
        call.output.ok("The page opens in your browser. If it does not, within a minute:")
    else:
        call.output.say("Within a minute, in a browser of this computer:")
    call.output.console.print(escape(address), style="accent", soft_wrap=True)


if sys.platform == "win32":

    def show_in_browser(address: str) -> bool:
        """By the desktop, so that a browser does not get the rights of an administrator who asks."""
        explorer = Path(os.environ.get("WINDIR", "C:\\Windows"), "explorer.exe")
        subprocess.Popen([explorer, address])
        return True

else:

    def show_in_browser(address: str) -> bool:
        """Not for root, whose desktop it is not."""
        return os.geteuid() != 0 and webbrowser.open(address)
