"""instrument-watcher init: from nothing to a registered watcher."""

import sys
from dataclasses import replace
from typing import Any

import rich_click as click
from rich.markup import escape

from instrument_watcher.cli.asking import Asking
from instrument_watcher.cli.options import TOKEN_VARIABLE, Call, common
from instrument_watcher.cli.wizard import Given, Wizard
from instrument_watcher.config.model import Config, GroupBy, UploadMode
from instrument_watcher.config.reading import ConfigInvalid, ConfigMissing, load_config
from instrument_watcher.config.writing import save_config, write_config
from instrument_watcher.enrolling import enrol
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.instance import instance_id
from instrument_watcher.registering import own_watcher, register
from instrument_watcher.reporting.heartbeat import push_config
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection
from instrument_watcher.terminal import tables
from instrument_watcher.token_file import TokenMissing, read_token, write_token

OF_THE_CODE = "the one of the code"


@click.command()
@click.option("--server", metavar="URL", help="Address of the service.")
@click.option("--token", metavar="TOKEN", envvar=TOKEN_VARIABLE, show_envvar=True, help="Better given by the variable.")
@click.option("--code", metavar="CODE", help="An enrolment code, in place of the token: good once.")
@click.option("--instrument", metavar="ID", help="Id of the instrument; with --new-instrument, of the new one.")
@click.option("--new-instrument", metavar="NAME", help="Create an instrument of this name.")
@click.option("--folder", metavar="DIR", help="Where the instrument writes.")
@click.option("--pattern", "patterns", metavar="GLOB", multiple=True, help="Which files are data; may be repeated.")
@click.option("--group-by", type=click.Choice([by.value for by in GroupBy]), help="Which files make up a run.")
@click.option("--separator", metavar="TEXT", help="For filename_prefix.")
@click.option("--regex", metavar="PATTERN", help="For regex: a regular expression with one group.")
@click.option("--stability", metavar="SECONDS", help="A file is complete when unchanged for so long.")
@click.option("--mode", type=click.Choice([mode.value for mode in UploadMode]), help="Upload all, or on request.")
@click.option("-y", "--yes", is_flag=True, help="Ask nothing: options and defaults must do.")
@common
def init(call: Call, *, yes: bool, **answers: Any) -> None:
    """Set up this machine's watcher, with previews of what it would find.

    Every answer may also be given as an option, so that a script can do it. Running it again changes the answers and
    keeps the registration.
    """
    asking = Asking(call.output, is_asking=not yes and not call.output.as_json and sys.stdin.isatty())
    known, known_token = _what_is_there(call)
    wizard = Wizard(asking, Given(**answers), known, known_token)
    if asking.is_asking:
        call.output.say(f"[title]A watcher for one instrument[/]  [dim]{escape(str(call.home.folder))}[/]")
    server = wizard.server()
    access = wizard.access(server)
    instrument_id = wizard.instrument(access.service)["id"] if access.service else answers["instrument"]
    config = _ask_the_rest(wizard, server, instrument_id or OF_THE_CODE)
    if not _is_confirmed(call, asking, config):
        raise AgentError("Nothing was changed.", code=ExitCode.CRASH)
    call.home.make()
    if access.service is None:
        service, config = _enrol(call, access.code, config, expected=instrument_id)
    else:
        write_token(call.home.token, access.token)
        service, config = access.service, _register(call, access.service, config, known)
    _write(call, service, config)


def _what_is_there(call: Call) -> tuple[Config | None, str | None]:
    try:
        known = load_config(call.home.config)
    except (ConfigMissing, ConfigInvalid):
        known = None
    try:
        return known, read_token(call.home.token)
    except TokenMissing:
        return known, None


def _ask_the_rest(wizard: Wizard, server: str, instrument_id: str) -> Config:
    folder = wizard.folder()
    patterns, survey = wizard.patterns(folder)
    return Config(
        server=server,
        instrument_id=instrument_id,
        watch_directory=folder,
        file_patterns=patterns,
        run_grouping=wizard.grouping(survey),
        stability_seconds=wizard.stability(),
        upload_mode=wizard.mode(),
    )


def _is_confirmed(call: Call, asking: Asking, config: Config) -> bool:
    grouping = config.run_grouping
    detail = {GroupBy.PREFIX: f" up to “{grouping.separator}”", GroupBy.REGEX: f" {grouping.pattern}"}
    rows = [
        ("service", config.server),
        ("instrument", config.instrument_id),
        ("folder", str(config.watch_directory)),
        ("files", ", ".join(config.file_patterns)),
        ("runs", f"by {grouping.by.value}{detail.get(grouping.by, '')}"),
        ("complete", f"after {config.stability_seconds:g} s without a change"),
        ("upload", "everything" if config.upload_mode is UploadMode.AUTO else "on request"),
    ]
    call.output.say()
    shown = tables.facts([(name, escape(value)) for name, value in rows])
    call.output.say(tables.framed("Your watcher", shown, call.output.signs))
    return asking.confirm("Register it?")


def _enrol(call: Call, code: str, config: Config, *, expected: str | None) -> tuple[Service, Config]:
    """What the code brings is kept at once: it is good only once."""
    enrolment = enrol(config.server, code=code, instance=instance_id(call.home.instance), instrument_id=expected)
    write_token(call.home.token, enrolment.token)
    if enrolment.release_public_key:
        call.home.release_key.write_text(enrolment.release_public_key, encoding="utf-8")
    call.output.ok(f"Enrolled for {enrolment.instrument_id} as watcher [dim]{enrolment.watcher_id}[/]")
    service = Service(Connection(config.server, read_token=lambda: enrolment.token))
    return service, replace(config, instrument_id=enrolment.instrument_id, watcher_id=enrolment.watcher_id)


def _register(call: Call, service: Service, config: Config, known: Config | None) -> Config:
    own = own_watcher(service, known, instrument_id=config.instrument_id)
    if own is not None and known is not None:
        call.output.ok("This watcher is registered already")
        return _keeping_what_is_not_asked(config, known)
    registered = register(service, config, instance=instance_id(call.home.instance))
    call.output.ok(f"Registered as watcher [dim]{registered.watcher_id}[/]")
    return registered


def _keeping_what_is_not_asked(config: Config, known: Config) -> Config:
    asked = (
        "server",
        "instrument_id",
        "watch_directory",
        "file_patterns",
        "run_grouping",
        "stability_seconds",
        "upload_mode",
    )
    kept = {name: getattr(known, name) for name in known.__dataclass_fields__ if name not in asked}
    return Config(**{**{name: getattr(config, name) for name in asked}, **kept})


def _write(call: Call, service: Service, config: Config) -> None:
    text = write_config(config)
    save_config(call.home.config, text)
    push_config(service, text.encode(), watcher_id=config.watcher_id or "")
    call.output.ok(f"Configuration written to {escape(str(call.home.config))}, and sent to the service")
    call.output.result(
        {"watcher_id": config.watcher_id, "instrument_id": config.instrument_id, "config": str(call.home.config)}
    )
    steps = [
        ("instrument-watcher check", "look at everything, change nothing"),
        ("instrument-watcher run", "watch now, in this terminal"),
        ("instrument-watcher service install", "watch always, from every start of this machine"),
    ]
    call.output.say()
    call.output.say(tables.facts([(f"[accent]{command}[/]", meaning) for command, meaning in steps]))
