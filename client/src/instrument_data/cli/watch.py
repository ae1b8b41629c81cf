"""What happens, as it happens."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import click

from instrument_data.cache import draft_beside
from instrument_data.cli.options import complete_instruments, json_option
from instrument_data.cli.output import print_json
from instrument_data.errors import Gone, InstrumentDataError
from instrument_data.records import Change


@click.command()
@click.option("-i", "--instrument", help="Id or name.", shell_complete=complete_instruments)
@click.option("-t", "--type", "types", multiple=True, help="run.created, run.completed, file.uploaded …")
@click.option("--after", help="From this position on; else from now on.")
@click.option("--state", type=click.Path(path_type=Path, dir_okay=False), help="Keep the position in this file.")
@click.option("--poll", type=click.FloatRange(min=1), metavar="SECONDS", help="Ask, where a proxy holds events back.")
@click.option("--once", is_flag=True, help="Tell what happened up to now, and end.")
@click.option("-n", "--count", type=click.IntRange(min=1), help="End after so many.")
@json_option
@click.pass_obj
def watch(
    obj: Any,
    /,
    instrument: str | None,
    types: tuple[str, ...],
    after: str | None,
    state: Path | None,
    poll: float | None,
    once: bool,
    count: int | None,
    as_json: bool,
) -> None:
    """Tell what happens, each event once and in order. With --state a restart goes on where this one ended."""
    place = after or (state.read_text().strip() if state is not None and state.exists() else None)
    with obj.lab() as lab:
        if place is None and state is not None and not once:
            place = lab.position()
            _keep(state, place)  # else what happens before the first event and after a kill would never be told
        keep = None if state is None else partial(_keep, state)  # how far, also where nothing was to tell
        source = (
            lab.changes(place, types=types, instrument=instrument, on_position=keep)
            if once
            else lab.watch(place, types=types, instrument=instrument, poll=poll, on_position=keep)
        )
        for change in islice(_until_gone(source), count):
            if as_json:
                print_json(change.raw)
            else:
                click.echo(f"{change.raw['at']}  {change.type:<18} {change.instrument_id or ''}/{change.run_id or ''}")
            if keep is not None:  # after it was told: a kill between tells one event twice, and none never
                keep(str(change.position))


def _until_gone(source: Iterator[Change]) -> Iterator[Change]:
    try:
        yield from source
    except Gone as gone:
        oldest = gone.details.get("oldest")
        raise InstrumentDataError(f"{gone} Begin anew with --after {oldest}, the earliest that is kept.") from None


def _keep(state: Path, position: str) -> None:
    draft = draft_beside(state)
    draft.write_text(position)
    draft.replace(state)
