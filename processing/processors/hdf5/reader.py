"""HDF5 and NeXus: the tree with shapes, units and values, tables, and the plots that the file itself names."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from math import isfinite
from pathlib import Path

import h5py

from processing.facts import Facts, clean_text
from processing.formats.long_tables import draw_long_table, find_long_table
from processing.formats.table import MAX_ROWS
from processing.local_times import as_utc, describe_zone
from processing.processors import andi, netcdf4
from processing.processors.hdf5.holes import list_holes
from processing.processors.hdf5.plots import describe_plot, draw_plot, follow_default, list_plots
from processing.processors.hdf5.tree import (
    Tree,
    list_compounds,
    list_long_columns,
    plain_attributes,
    tabulate_compound,
    tabulate_tree,
    text_attribute,
    text_of,
)
from processing.readings import MAX_CHARACTERS_PER_VALUE, Artefact, Input, Json, Output, Unreadable

SIGNATURE, SUPERBLOCK_BYTES = b"\x89HDF\r\n\x1a\n", 64
END_AT = {0: 40, 1: 44, 2: 28, 3: 28}  # where it says how long the file is, by the version of that block
MAX_TABLES = 10
MAX_FILE_FACTS = 60
FACT_KEY = re.compile(r"[A-Za-z0-9_.-]{1,64}")
ENTRY_FACTS = {
    "title": "title",
    "definition": "definition",
    "method": "method",
    "measurement_type": "experiment_type",
    "experiment_identifier": "experiment_identifier",
    "instrument/name": "instrument_model",
    "sample/name": "sample_id",
    "user/name": "analyst",
}
ATTRIBUTE_FACTS = {"creator": "software", "creator_version": "software_version", "vendor": "manufacturer"} | {
    "instrument": "instrument_model",
    "operator": "analyst",
    "sample": "sample_id",
}


def read(given: Input) -> Output:
    """Unreadable: the file is cut off, or damaged where its tree stands."""
    try:
        with h5py.File(given.path, "r", locking=False) as file:
            output = andi.read_hdf5(file, given) if netcdf4.is_andi(file) else read_file(file, given)
    except (OSError, RuntimeError, KeyError) as error:
        raise Unreadable(f"It is damaged, or a part of it is missing: {clean_text(str(error))}") from error
    return replace(output, warnings=[*output.warnings, *list_length_doubts(given.path)])


def list_length_doubts(path: Path) -> Iterator[str]:
    """The library refuses a file that is shorter than its first block says, and reads a longer one."""
    with path.open("rb") as file:
        block = file.read(SUPERBLOCK_BYTES)
    place = (
        END_AT.get(block[len(SIGNATURE)]) if block.startswith(SIGNATURE) and len(block) == SUPERBLOCK_BYTES else None
    )
    if place is not None and 0 < int.from_bytes(block[place : place + 8], "little") < path.stat().st_size:
        yield "It is longer than it says: bytes may have been added, and others moved."


def read_file(file: h5py.File, given: Input) -> Output:
    tree = Tree()
    tree.walk(file)
    entries = [path for path, group in tree.groups.items() if text_attribute(group, "NX_class") == "NXentry"]
    facts = Facts()
    facts.add("technique", "hierarchical data")
    facts.add("format", "NeXus" if entries or "NX_class" in file.attrs else "HDF5")
    for name, value in plain_attributes(file.attrs).items():
        if name in ATTRIBUTE_FACTS:
            facts.add(ATTRIBUTE_FACTS[name], value)
    for entry in entries:
        for below, key in ENTRY_FACTS.items():
            facts.add(key, text_below(tree, entry, below))
    times = [
        time
        for entry in entries
        for name in ("start_time", "end_time")
        if (time := find_time(tree, entry, name, given))
    ]
    facts.add_times(times)
    started = min(times, default=None)
    plots = list_plots(file, tree)
    described: dict[str, Json] = {
        "groups": len(tree.groups),
        "datasets": len(tree.datasets),
        "groups_nexus": sorted({text_attribute(tree.groups[entry], "NX_class") for entry in entries}),
        "default": text_attribute(file, "default"),
        "default_plot": follow_default(file, tree),
        "entry": entries[0] if entries else "",
    }
    for plot in plots[:1]:
        described |= describe_plot(plot)
    described |= describe_tables(tree)
    drawn = [made for number, plot in enumerate(plots, start=1) if (made := draw_plot(plot, number=number))]
    return Output(
        run=facts.as_json(),
        file={**keep_facts(described), **describe_zone(started, given)},
        acquired_at=as_utc(started),
        artefacts=[*drawn, *build_tables(tree), build_contents(tree)],
        warnings=list(list_doubts(tree)),
    )


def text_below(tree: Tree, entry: str, path: str) -> str:
    dataset = tree.datasets.get(f"{entry}/{path}")
    return text_of(dataset) if dataset is not None else ""


def find_time(tree: Tree, entry: str, name: str, given: Input) -> datetime | None:
    try:
        time = datetime.fromisoformat(text_below(tree, entry, name))
    except ValueError:
        return None
    return time if time.tzinfo else time.replace(tzinfo=given.time_zone)


def describe_tables(tree: Tree) -> dict[str, Json]:
    described: dict[str, Json] = {}
    for path, dataset in list(list_compounds(tree))[:MAX_TABLES]:
        name = path.rpartition("/")[2]
        described |= {f"{name}_rows": len(dataset), f"{name}_fields": list[Json](dataset.dtype.names or ())}
    return described


def build_tables(tree: Tree) -> list[Artefact]:
    """Each with the curves that it holds where it is long."""
    made: list[Artefact] = []
    for number, (path, dataset) in enumerate(list(list_compounds(tree))[:MAX_TABLES], start=1):
        made += draw_long_table(find_long_table(list_long_columns(dataset)), title=path, suffix=f"-{number}")
        made.append(tabulate_compound(path, dataset, most=MAX_ROWS).artefact(f"table-{number}.json"))
    return made


def build_contents(tree: Tree) -> Artefact:
    """Named so that pages show it behind the data; its dataset is called `contents`."""
    return replace(tabulate_tree(tree).artefact("contents.json"), name="tree.json")


def keep_facts(described: dict[str, Json]) -> dict[str, Json]:
    """Those that can be kept: plain keys, finite numbers, short texts."""
    kept = {key: value for key, value in described.items() if FACT_KEY.fullmatch(key) and value not in ("", [])}
    return dict([(key, shorten(value)) for key, value in kept.items() if is_finite(value)][:MAX_FILE_FACTS])


def is_finite(value: Json) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(isfinite(single) for single in values if isinstance(single, float))


def shorten(value: Json) -> Json:
    return value[:MAX_CHARACTERS_PER_VALUE] if isinstance(value, str) else value


def list_doubts(tree: Tree) -> Iterator[str]:
    if tree.links:
        yield f"Links to other files are listed and not followed: {len(tree.links)}."
    if elsewhere := [path for path, dataset in tree.datasets.items() if dataset.is_virtual or dataset.external]:
        yield f"Datasets whose values stand in other files: {len(elsewhere)}."
    if tree.is_cut:
        yield "It holds more groups and datasets than are listed."
    yield from list_holes(tree)
