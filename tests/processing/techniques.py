"""The real files of many techniques beside the developers' checkout, with what `expected.json` there says of them."""

import json
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from processing.readings import HEAD_BYTES, Input, InstrumentType, Kind, Output
from processing.registry import choose_type
from tests.samples.expected import TECHNIQUES

FOLDER = TECHNIQUES
EXPECTED = FOLDER / "expected.json"
FILES: dict[str, dict[str, Any]] = json.loads(EXPECTED.read_text())["files"] if EXPECTED.exists() else {}
needs_techniques = pytest.mark.skipif(not FILES, reason="the real files lie beside the checkout of the developers only")


def list_files(*folders: str) -> list[str]:
    return [name for name in FILES if name.startswith(folders)]


def type_of(path: Path) -> InstrumentType | None:
    """The type that reads it on an instrument of no type."""
    with path.open("rb") as file:
        return choose_type(filename=path.name, head=file.read(HEAD_BYTES), instrument_type="generic")


def name_type(path: Path) -> str | None:
    kind = type_of(path)
    return kind.name if kind else None


def read_technique(name: str | Path, *, zone: str = "UTC") -> Output:
    """By the type that reads it on an instrument of no type, in the test's own process."""
    path = FOLDER / name
    kind = type_of(path)
    assert kind is not None, f"nobody reads {name}"
    return resolve_name(kind.process)(Input(path, path.name, kind.name, ZoneInfo(zone)))


def list_curves(output: Output) -> list[Any]:
    return [json.loads(artefact.data) for artefact in output.artefacts if artefact.kind is Kind.CURVE]


def list_tables(output: Output) -> list[Any]:
    return [json.loads(artefact.data) for artefact in output.artefacts if artefact.kind is Kind.TABLE]


def find_wrong_facts(output: Output, expected: dict[str, Any], *, names: dict[str, str]) -> dict[str, tuple[Any, Any]]:
    """What is expected and what was found, where they differ; `names` are ours for theirs, empty: not told."""
    found = {**output.run, **output.file}
    told = {names.get(name, name): value for name, value in expected.items() if names.get(name, name)}
    return {name: (value, found.get(name)) for name, value in told.items() if not is_same(value, found.get(name))}


def is_same(expected: Any, found: Any) -> bool:
    if isinstance(expected, str):
        return bool(expected.strip() == found)
    return bool(expected == found or found == pytest.approx(expected, rel=1e-6))
