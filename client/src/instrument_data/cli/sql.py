"""SQL over what a search finds, by DuckDB on this computer."""

from __future__ import annotations

import csv
import sys
from typing import Any

import click

from instrument_data.cli.options import find_runs, json_option, search_options
from instrument_data.cli.output import print_json, print_table, tell
from instrument_data.queries import open_database
from instrument_data.tables import need


@click.command()
@click.argument("query")
@search_options
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@json_option
@click.pass_obj
def sql(obj: Any, /, query: str, as_csv: bool, as_json: bool, **search: Any) -> None:
    """Ask by SQL: the table `runs` has the runs that the search finds, and each dataset's name is a table of its rows.

    \b
    ids-data sql "SELECT well, avg(value) FROM plate GROUP BY well" --since "last week"
    """
    duckdb = need("duckdb", "sql")
    try:
        with obj.lab() as lab, open_database(find_runs(lab, search), query) as database:
            answer = database.execute(query)
            names = [column[0] for column in answer.description]
            rows = answer.fetchall()
    except duckdb.Error as error:
        raise click.ClickException(str(error)) from None
    except RuntimeError as error:  # what DuckDB makes of Ctrl-C
        raise KeyboardInterrupt from error
    if as_json:
        for row in rows:
            print_json(dict(zip(names, row, strict=True)))
    elif as_csv:
        csv.writer(sys.stdout).writerows([names, *rows])
    else:
        print_table(names, rows)
        tell(f"{len(rows)} row{'' if len(rows) == 1 else 's'}")
