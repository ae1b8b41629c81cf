"""instrument-watcher service: the agent at every start of the machine."""

from collections.abc import Callable

import rich_click as click
from rich.markup import escape

from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.reading import load_config
from instrument_watcher.home import APP
from instrument_watcher.platforms.this_platform import service_manager, service_names
from instrument_watcher.token_file import read_token

named = click.option("--name", default=APP, show_default=True, help="Where one machine has several agents.")
every_one = click.option("--every", is_flag=True, help="Every service of this installation, whatever its name.")


def chosen(command: Callable[..., None]) -> Callable[..., None]:
    return named(every_one(command))


@click.group()
def service() -> None:
    """Run at every start of this machine: install, uninstall, start, stop, status."""


@service.command()
@named
@common
def install(call: Call, *, name: str) -> None:
    """Install the service and start it: a systemd unit on Linux, a Windows service on Windows.

    As root a unit of the system, which runs as the owner of the agent's home; else a unit of the user.
    """
    load_config(call.home.config)
    read_token(call.home.token)
    notes = service_manager(name).install(call.home)
    call.output.result({"name": name, "notes": notes})
    call.output.ok(f"The service {escape(name)} is installed and started")
    for note in notes:
        call.output.say(f"  [dim]{escape(note)}[/]")


@service.command()
@chosen
@common
def uninstall(call: Call, *, name: str, every: bool) -> None:
    """Stop the service and remove it; configuration and journal stay."""
    for one in _names(name, every=every):
        service_manager(one).uninstall()
        call.output.ok(f"The service {escape(one)} is removed; {escape(str(call.home.folder))} stays as it is")
    call.output.result({"name": name})


@service.command()
@chosen
@common
def start(call: Call, *, name: str, every: bool) -> None:
    """Start the installed service."""
    for one in _names(name, every=every):
        service_manager(one).start()
        call.output.ok(f"The service {escape(one)} is started")
    call.output.result({"name": name})


@service.command()
@chosen
@common
def stop(call: Call, *, name: str, every: bool) -> None:
    """Stop the service; what is under way goes on at the next start."""
    for one in _names(name, every=every):
        service_manager(one).stop()
        call.output.ok(f"The service {escape(one)} is stopped")
    call.output.result({"name": name})


@service.command()
@named
@common
def status(call: Call, *, name: str) -> None:
    """Say whether the service is installed and runs."""
    state = service_manager(name).state()
    call.output.result(
        {"name": name, "installed": state.is_installed, "running": state.is_running, "state": state.word}
    )
    say = call.output.ok if state.is_running else call.output.warn
    say(f"{escape(name)} is {escape(state.word)}")


def _names(name: str, *, every: bool) -> list[str]:
    return service_names() if every else [name]
