"""Which dataset of a run, or of many runs, a name or a kind means."""

from __future__ import annotations

from collections.abc import Sequence

from instrument_data.errors import AmbiguousName, UnknownName
from instrument_data.records import Raw


def choose_stacked(rows: Sequence[Raw], name: str) -> Sequence[Raw]:
    """By name, else by kind, among one dataset of each name. Raises UnknownName, AmbiguousName."""
    if named := [row for row in rows if row["name"] == name]:
        return named
    found = [row for row in rows if row["kind"] == name]
    names = list(dict.fromkeys(row["name"] for row in found or rows))
    told = ", ".join(names[:10])
    if len(names) > 1 and found:
        raise AmbiguousName(f"Several datasets of these runs are of the kind {name}: {told}. Say which by its name.")
    if rows and not found:
        raise UnknownName(f"These runs have no dataset {name}; they have {told}.")
    return found


def choose(rows: Sequence[Raw], name: str, *, file: str | None, run_id: str) -> Raw:
    """By name, else by kind; `file` is the name of the source. Raises UnknownName, AmbiguousName."""
    among = [row for row in rows if file in (None, row["source_filename"])]
    found = [row for row in among if row["name"] == name] or [row for row in among if row["kind"] == name]
    if len(found) == 1:
        return found[0]
    told = ", ".join(f"{row['name']} of {row['source_filename']}" for row in (found or rows)[:10])
    if found:
        raise AmbiguousName(f"{len(found)} datasets answer to {name}: {told}. Say which by file=.")
    raise UnknownName(f"{run_id} has no dataset {name}; it has {told or 'none'}.")
