"""A database of DuckDB on this computer over what a search finds."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from instrument_data.tables import need

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from instrument_data._sync.runs import Runs

RUNS = "runs"
DATASET = re.compile(r"[A-Za-z0-9_-]+")  # anything else is a file of the caller's own
COLUMNS = ("instrument_id", "run_id", "status", "acquired_at", "created_at", "file_count", "total_size_bytes", "tags")


@contextmanager
def open_database(runs: Runs, query: str) -> Iterator[DuckDBPyConnection]:
    """`runs`, and the rows of each dataset that the query names. Raises MissingExtra, ServiceError, duckdb.Error."""
    duckdb = need("duckdb", "sql")
    with tempfile.TemporaryDirectory(prefix="ids-data-") as folder, duckdb.connect() as database:
        for name in find_tables(database, query):
            if name.lower() == RUNS:
                _load_runs(database, runs, Path(folder) / "runs.ndjson")
            else:
                place = runs.dataset(name).save(Path(folder) / "rows.parquet")
                database.execute(f'CREATE TABLE "{name}" AS FROM read_parquet(?)', [str(place)])
        yield database


def find_tables(database: DuckDBPyConnection, query: str) -> list[str]:
    """What stands behind FROM and JOIN, without the query's own WITH. Raises ValueError for what is no SELECT."""
    if not query.strip(" ;\n\t"):
        raise ValueError('Nothing is asked. A query begins with SELECT: "SELECT * FROM runs".')
    [(text,)] = database.execute("SELECT json_serialize_sql(?::VARCHAR)", [query]).fetchall()
    tree = json.loads(text)
    if tree.get("error"):
        raise ValueError(tree.get("error_message") or "This is no SELECT.")
    nodes = list(_walk(tree))
    if not tree.get("statements"):
        raise ValueError("This is no SELECT.")
    own = {entry["key"] for node in nodes for entry in (node.get("cte_map") or {}).get("map", [])}
    named = {node["table_name"] for node in nodes if node.get("type") == "BASE_TABLE"}
    return sorted(name for name in named - own if DATASET.fullmatch(name))


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _walk(one)


def _load_runs(database: DuckDBPyConnection, runs: Runs, place: Path) -> None:
    """Metadata is one column of JSON and, for each key, a column `metadata.<key>`."""
    with place.open("w", encoding="utf-8") as file:
        for run in runs:
            file.write(json.dumps(_flat(run)) + "\n")
    if not place.stat().st_size:
        columns = ", ".join(f"{name} VARCHAR" for name in COLUMNS)
        database.execute(f"CREATE TABLE runs ({columns})")
        return
    database.execute(
        "CREATE TABLE runs AS FROM read_json_auto(?, format='newline_delimited', sample_size=-1)", [str(place)]
    )


def _flat(run: Any) -> dict[str, Any]:
    """Python's column names stay as the interface calls them; people are a list of names."""
    about = {name: run.raw.get(name) for name in COLUMNS}
    return {**about, "ran_by": run.ran_by, **{f"metadata.{key}": value for key, value in run.metadata.items()}}
