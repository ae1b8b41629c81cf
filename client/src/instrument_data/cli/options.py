"""Options that several commands share, and what they mean for a search."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

import instrument_data as ids
from instrument_data.filters import is_compared

Command = TypeVar("Command", bound=Callable[..., Any])
COMPLETION_PATIENCE = 2.0


def complete_instruments(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """What the service has; nothing where it does not answer at once."""
    root = context.find_root().params
    try:
        with ids.connect(root.get("url"), patience=COMPLETION_PATIENCE) as lab:
            known = lab.instruments()
    except ids.InstrumentDataError:
        return []
    return [CompletionItem(one.id, help=one.display_name) for one in known if one.id.startswith(begun)]


def json_option(command: Command) -> Command:
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for programs.")(command)


def search_options(command: Command) -> Command:
    """The filters of `lab.runs(...)`."""
    for option in reversed(
        (
            click.option("-i", "--instrument", multiple=True, help="Id or name.", shell_complete=complete_instruments),
            click.option("--since", help='"last week", "3 days ago", 2026-11-02 …'),
            click.option("--until", help="Likewise, inclusive."),
            click.option("-s", "--search", help="Part of the run's name."),
            click.option("-q", "--words", help="Words that occur anywhere in what is known of the run."),
            click.option("--status", multiple=True, help="completed, failed, pending_upload …"),
            click.option("--ran-by", help="A person's name or id."),
            click.option("--tag", multiple=True, help="Repeat it to narrow."),
            click.option("--project", metavar="PROJECT", help="Id or name."),
            click.option(
                "-m",
                "--metadata",
                multiple=True,
                metavar="KEY=VALUE",
                help="Metadata; KEY__gt=VALUE compares (gt, ge, lt, le, ne, contains, exists).",
            ),
        )
    ):
        command = option(command)
    return command


def find_runs(lab: ids.Lab, options: dict[str, Any]) -> Any:
    """The runs that the options of `search_options` find."""
    asked: dict[str, Any] = {name: value or None for name, value in options.items() if name != "metadata"}
    alike: dict[str, list[str]] = {}
    compared: dict[str, Any] = {}
    for name, value in read_pairs(options["metadata"]):
        facts = compared if is_compared(name) else alike
        facts.setdefault(name, []).append(value)
    return lab.runs(**asked, metadata=alike, **compared)


def read_pairs(pairs: tuple[str, ...]) -> list[tuple[str, str]]:
    """Raises UsageError for what has no equals sign."""
    split = [pair.partition("=") for pair in pairs]
    if wrong := [pair for pair, (name, mark, _) in zip(pairs, split, strict=True) if not (name and mark)]:
        raise click.UsageError(f"{wrong[0]!r} is not KEY=VALUE.")
    return [(name, value) for name, _, value in split]


def read_facts(pairs: tuple[str, ...]) -> dict[str, Any]:
    """What is to be written: KEY=TEXT, or KEY:=JSON for numbers, true and false, lists. Raises UsageError."""
    facts: dict[str, Any] = {}
    for name, text in read_pairs(pairs):
        key, value = (name[:-1], _read_json(name, text)) if name.endswith(":") else (name, text)
        if key in facts:
            raise click.UsageError(f"{key} is said twice.")
        facts[key] = value
    return facts


def _read_json(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise click.UsageError(
            f"{name}={text} is no JSON behind :=, such as {name}=37.5; text stands behind = alone."
        ) from None


def split_run(value: str) -> tuple[str, str]:
    """`instrument/run`; neither has a slash. Raises UsageError."""
    instrument, mark, run_id = value.rpartition("/")
    if not (instrument and mark and run_id):
        raise click.UsageError(f"{value!r} is not INSTRUMENT/RUN.")
    return instrument, run_id
