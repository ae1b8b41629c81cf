"""What was measured, as numbers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from instrument_data.cli.options import find_runs, json_option, search_options, split_run
from instrument_data.cli.output import print_json, print_table, tell
from instrument_data.rows_query import OPERATORS


@click.command()
@click.argument("run", required=False, metavar="[INSTRUMENT/RUN]")
@search_options
@json_option
@click.pass_obj
def datasets(obj: Any, /, run: str | None, as_json: bool, **search: Any) -> None:
    """List the datasets of one run, or of all runs that a search finds. With --json, one line a dataset."""
    with obj.lab() as lab:
        source = _source(lab, run, search)
        if as_json:
            for one in source.datasets:
                print_json(one.raw)
            return
        rows = [
            (f"{one.raw['instrument_id']}/{one.raw['run_id']}", one.name, one.kind, one.row_count, _columns(one))
            for one in source.datasets
        ]
        print_table(("run", "dataset", "kind", "rows", "columns"), rows)
        if not rows:
            tell("No dataset is found.")


@click.command()
@click.argument("name")
@click.argument("run", required=False, metavar="[INSTRUMENT/RUN]")
@search_options
@click.option(
    "-w", "--where", multiple=True, metavar="COLUMN:OP:VALUE", help=f"OP: {', '.join(sorted(set(OPERATORS.values())))}."
)
@click.option("-c", "--columns", help="Separated by commas.")
@click.option("--limit", "count", type=click.IntRange(min=1))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help=".csv, .parquet, .arrow or .ndjson."
)
@json_option
@click.pass_obj
def rows(
    obj: Any,
    /,
    name: str,
    run: str | None,
    where: tuple[str, ...],
    columns: str | None,
    count: int | None,
    output: Path | None,
    as_json: bool,
    **search: Any,
) -> None:
    """Print the rows of a dataset as CSV: of one run, or of all runs that a search finds, one below the other."""
    with obj.lab() as lab:
        asked = _source(lab, run, search).dataset(name)
        for condition in where:
            asked = asked.where(*_condition(condition))
        asked = asked.select(*columns.split(",")) if columns else asked
        asked = asked.limit(count) if count else asked
        if output is not None:
            click.echo(asked.save(output))
        elif as_json:
            for row in asked:
                print_json(row)
        else:
            for piece in asked.stream("csv"):
                sys.stdout.buffer.write(piece)
            sys.stdout.flush()  # a full disk is told now, not when the process ends


def _condition(text: str) -> tuple[str, str, Any]:
    column, _, rest = text.partition(":")
    operator, mark, value = rest.partition(":")
    if not mark:
        raise click.UsageError(f"{text!r} is not COLUMN:OP:VALUE.")
    return column, operator, value.split(",") if operator == "in" else value


def _source(lab: Any, run: str | None, search: dict[str, Any]) -> Any:
    if run is not None:
        return lab.run(*split_run(run))
    return find_runs(lab, search)


def _columns(one: Any) -> str:
    return ", ".join(column["name"] + (f" [{column['unit']}]" if column["unit"] else "") for column in one.columns)
