"""Which instrument or project a name means, and which dataset of a run, or of many runs, a name or a kind."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from uuid import UUID

from instrument_data.errors import AmbiguousName, UnknownName
from instrument_data.records import Raw


def match_name(names: Mapping[str, str], said: str) -> list[str]:
    """The ids of what is called so: by id, else by name in any case. `names` are by id."""
    if said in names:
        return [said]
    return [one for one, name in names.items() if name.casefold() == said.casefold()]


def is_id(said: str) -> bool:
    """Whether this is a UUID, which names are not looked up for."""
    try:
        UUID(said)
    except ValueError:
        return False
    return True


def choose_id(names: Mapping[str, str], said: str, *, kind: str) -> str:
    """The one that `match_name` finds. Raises UnknownName, AmbiguousName."""
    found = match_name(names, said)
    if len(found) == 1:
        return found[0]
    if found:
        raise AmbiguousName(f"{len(found)} {kind}s are called {said}: {_tell(names, found)}. Say which by its id.")
    ids = {name: one for one, name in names.items()} | {one: one for one in names}
    near = list(dict.fromkeys(ids[one] for one in difflib.get_close_matches(said, ids, n=6, cutoff=0.5)))
    told = f"Nearest: {_tell(names, near[:3])}." if near else f"There are {_tell(names, names) or 'none'}."
    raise UnknownName(f"There is no {kind} {said}. {told}")


def _tell(names: Mapping[str, str], ids: Iterable[str]) -> str:
    return ", ".join(f"{names[one]} ({one})" for one in islice(ids, 10))


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
