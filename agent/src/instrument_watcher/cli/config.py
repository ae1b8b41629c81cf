"""instrument-watcher config: show, edit, validate, push, schema."""

import json

import rich_click as click
from rich.markup import escape
from rich.syntax import Syntax

from instrument_watcher.assembly import NotRegistered
from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.reading import ConfigInvalid, ConfigMissing, load_config, read_config
from instrument_watcher.config.schema import describe_config
from instrument_watcher.config.writing import save_config
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.reporting.heartbeat import push_config


@click.group()
def config() -> None:
    """The configuration file: show, edit, validate, push; and its schema."""


@config.command()
@common
def show(call: Call) -> None:
    """Print the configuration as it is on this machine."""
    text = _text(call)
    call.output.result({"path": str(call.home.config), "config_yaml": text})
    if call.output.console.is_terminal:
        call.output.say(f"[dim]{escape(str(call.home.config))}[/]")
        call.output.say(Syntax(text, "yaml", theme="ansi_dark", background_color="default", word_wrap=True))
    elif not call.output.as_json:
        call.output.console.file.write(text)


@config.command()
@common
def edit(call: Call) -> None:
    """Open the configuration in your editor; keep it only if it is valid.

    A running agent takes the change over within seconds, and sends it to the service.
    """
    text = _text(call)
    while True:
        edited = click.edit(text, extension=".yaml")
        if edited is None or edited == _text(call):
            call.output.say("Nothing was changed.")
            return
        try:
            read_config(edited, where="What you wrote")
            break
        except ConfigInvalid as invalid:
            call.output.bad(escape(invalid.message))
            if not click.confirm("Edit it again?", default=True):
                raise AgentError("The configuration was left as it was.", code=ExitCode.CONFIGURATION) from None
            text = edited
    save_config(call.home.config, edited)
    call.output.ok("The configuration is valid and was written.")


@config.command()
@common
def validate(call: Call) -> None:
    """Say whether the configuration is valid, and every fault where it is not."""
    load_config(call.home.config)
    call.output.result({"valid": True, "path": str(call.home.config)})
    call.output.ok(f"{escape(str(call.home.config))} is valid")


@config.command()
@common
def push(call: Call) -> None:
    """Send the configuration to the service now; a running agent does so by itself."""
    config = load_config(call.home.config)
    if config.watcher_id is None:
        raise NotRegistered
    checksum = push_config(call.service(config), call.home.config.read_bytes(), watcher_id=config.watcher_id)
    call.output.result({"checksum": checksum})
    call.output.ok(f"Sent to {escape(config.server)} [dim]{checksum[:12]}…[/]")


@config.command()
@common
def schema(call: Call) -> None:
    """Print the JSON Schema of the configuration, for editors and for the service."""
    call.output.console.file.write(json.dumps(describe_config(), indent=2) + "\n")


def _text(call: Call) -> str:
    try:
        return call.home.config.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ConfigMissing(call.home.config) from None
