"""Lists of instruments and runs."""

from __future__ import annotations

from itertools import islice
from typing import Any

import click

from instrument_data.cli.options import find_runs, json_option, search_options
from instrument_data.cli.output import print_json, print_table, tell
from instrument_data.html import size_text

DEFAULT_LIMIT = 50
SORTS = ("acquired_at", "created_at", "updated_at", "run_id", "total_size_bytes")


@click.command()
@json_option
@click.pass_obj
def instruments(obj: Any, /, as_json: bool) -> None:
    """List the instruments."""
    with obj.lab() as lab:
        known = lab.instruments()
    if as_json:
        print_json([one.raw for one in known])
    else:
        print_table(("id", "name", "status"), [(one.id, one.display_name, one.status) for one in known])


@click.command()
@search_options
@click.option("--sort", type=click.Choice(SORTS), help="Else acquired_at.")
@click.option("--order", type=click.Choice(("desc", "asc")), help="Else desc.")
@click.option("-n", "--limit", type=click.IntRange(min=1), default=DEFAULT_LIMIT, show_default=True)
@click.option("--all", "everything", is_flag=True, help="However many there are.")
@json_option
@click.pass_obj
def runs(obj: Any, /, limit: int, everything: bool, as_json: bool, **search: Any) -> None:
    """List the runs that a search finds, the newest first unless told otherwise. With --json, one line a run."""
    with obj.lab() as lab:
        found = find_runs(lab, search)
        shown = islice(found, None if everything else limit)
        if as_json:
            for run in shown:
                print_json(run.raw)
            return
        rows = [
            (f"{run.instrument_id}/{run.run_id}", run.status, run.acquired_at or run.created_at, run.file_count,
             size_text(run.size_bytes), run.metadata)
            for run in shown
        ]  # fmt: skip
        print_table(("run", "status", "time", "files", "size", "metadata"), rows)
        if not rows:
            tell("No run is found.")
        if not everything and len(rows) == limit and (total := found.count()) > limit:
            tell(f"{limit} of {total}; --all shows all.")
