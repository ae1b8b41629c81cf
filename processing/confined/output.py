"""What a child gave back, checked as the input of a stranger: it ran somebody else's code over somebody's file."""

import json
import math
import os
import re
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from files.drawing.faults import FORMATS, find_document_fault
from files.drawing.trace_names import name_trace
from processing import readings
from processing.dataset_making.checked import CheckedDataset
from processing.facts import shorten_text
from processing.readings import FACT_KEY, HEAD_BYTES, Json, Kind

ARTEFACT_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9 ._-]{0,99}")
TILES_MAGIC = b"IDSTILES"  # processing/formats/tiles.py
MAGIC_BYTES = {
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/svg+xml": (b"<svg",),
    "application/json": (b"{", b"["),
    "application/octet-stream": (TILES_MAGIC,),
}
KINDS_BY_CONTENT_TYPE = {
    "application/json": (Kind.TABLE, Kind.CURVE, Kind.PLATE, Kind.EVENTS, Kind.STACK),
    "application/octet-stream": (Kind.TILES,),
}


class InvalidOutput(Exception):
    """The text says which rule was broken, for whoever wrote the reader."""


@dataclass(frozen=True)
class CheckedArtefact:
    name: str
    kind: Kind
    content_type: str
    title: str
    path: Path
    size_bytes: int
    is_drawn: bool = True  # not where a document is kept for programs only
    trace: str = ""  # of a curve: what its field calls it


@dataclass(frozen=True)
class Reading:
    """A checked output. The artefacts and the values of the datasets are still files of the scratch folder."""

    run: Mapping[str, Json]
    file: Mapping[str, Json]
    acquired_at: datetime | None
    artefacts: Sequence[CheckedArtefact]
    warnings: Sequence[str]
    datasets: Sequence[CheckedDataset] = ()


def check_output(answer: object, *, folder: Path) -> Reading:
    """The reading, or InvalidOutput. Nothing of the answer is trusted, names and sizes least of all."""
    fields = {"run": dict, "file": dict, "warnings": list, "artefacts": list}
    if not isinstance(answer, dict) or not all(isinstance(answer.get(key), kind) for key, kind in fields.items()):
        raise InvalidOutput("It is no output.")
    artefacts, omission = check_artefacts(answer["artefacts"], folder=folder, technique=answer["run"].get("technique"))
    warnings = [check_label(warning, most=readings.MAX_WARNING_CHARACTERS) for warning in answer["warnings"]]
    return Reading(
        run=check_facts(answer["run"], what="run facts"),
        file=check_facts(answer["file"], what="file facts"),
        acquired_at=check_time(answer.get("acquired_at")),
        artefacts=artefacts,
        warnings=[*omission, *warnings][: readings.MAX_WARNINGS],
    )


def check_facts(facts: Mapping[str, Any], *, what: str) -> dict[str, Json]:
    if len(facts) > readings.MAX_FACTS:
        raise InvalidOutput(f"There are {len(facts)} {what}; {readings.MAX_FACTS} are the most.")
    for key, value in facts.items():
        if not FACT_KEY.fullmatch(key):
            raise InvalidOutput(f"The key {key!r} of the {what} is not plain.")
        values = value if isinstance(value, list) else [value]
        if len(values) > readings.MAX_VALUES_PER_FACT:
            raise InvalidOutput(f"{key} has {len(values)} values; {readings.MAX_VALUES_PER_FACT} are the most.")
        for single in values:
            check_scalar(single, key=key)
    if len(json.dumps(facts).encode()) > readings.MAX_FACTS_BYTES:
        raise InvalidOutput(f"The {what} are larger than {readings.MAX_FACTS_BYTES // 1024} KiB.")
    return dict(facts)


def check_scalar(value: object, *, key: str) -> None:
    if isinstance(value, str):
        if value != check_text(value, most=readings.MAX_CHARACTERS_PER_VALUE, kept="\n\t"):
            raise InvalidOutput(f"{key} has a control character.")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidOutput(f"{key} is no finite number.")
    elif value is not None and not isinstance(value, bool | int):
        raise InvalidOutput(f"{key} is neither a plain value nor a list of them.")


def check_text(value: object, *, most: int, kept: str = "") -> str:
    """Printable text of bounded length; anything else, but for what is kept, becomes a space."""
    if not isinstance(value, str) or len(value) > most:
        raise InvalidOutput(f"A text is missing, or longer than {most} characters.")
    return "".join(c if c.isprintable() or c in kept else " " for c in value)


def check_label(value: object, *, most: int) -> str:
    """A text for people, shortened where it is too long: no reason to lose a reading."""
    if not isinstance(value, str):
        raise InvalidOutput("A title or a warning is no text.")
    return check_text(shorten_text(value, most), most=most)


def check_time(value: object) -> datetime | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(str(value))
        if time.tzinfo:
            return time.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise InvalidOutput("The time of acquisition is no time with a zone.")


def check_artefacts(
    artefacts: Sequence[Any], *, folder: Path, technique: object
) -> tuple[list[CheckedArtefact], list[str]]:
    """The first of them, as many as are kept, and a word about those that are not."""
    if folder.is_symlink():
        raise InvalidOutput("The folder of its artefacts is a link.")
    kept: list[CheckedArtefact] = []
    for number, artefact in enumerate(artefacts[: readings.MAX_ARTEFACTS]):
        checked = check_artefact(artefact, path=folder / str(number), technique=technique)
        if not has_room([*kept, checked]):
            break
        kept.append(checked)
    if len({artefact.name.casefold() for artefact in kept}) < len(kept):
        raise InvalidOutput("Two artefacts have the same name.")
    omission = f"Only the first {len(kept)} of {len(artefacts)} tables and pictures are kept."
    return kept, [omission] if len(kept) < len(artefacts) else []


def has_room(artefacts: Sequence[CheckedArtefact]) -> bool:
    tiles = sum(found.size_bytes for found in artefacts if found.kind is Kind.TILES)
    others = sum(found.size_bytes for found in artefacts if found.kind is not Kind.TILES)
    return tiles <= readings.MAX_TILES_BYTES and others <= readings.MAX_OUTPUT_BYTES


def check_artefact(artefact: Any, *, path: Path, technique: object) -> CheckedArtefact:
    name, kind, content_type = (str(artefact.get(key)) for key in ("name", "kind", "content_type"))
    if not ARTEFACT_NAME.fullmatch(name) or name.endswith((" ", ".")):
        raise InvalidOutput(f"The name {name!r} of an artefact is not plain.")
    if kind not in set(Kind) or content_type not in readings.CONTENT_TYPES:
        raise InvalidOutput(f"{name} is a {kind} of type {content_type}, which nothing shows.")
    if kind not in KINDS_BY_CONTENT_TYPE.get(content_type, (Kind.IMAGE,)):
        raise InvalidOutput(f"A {kind} is never of the type {content_type} ({name}).")
    most = readings.MAX_TILES_BYTES if kind == Kind.TILES else readings.MAX_ARTEFACT_BYTES
    size, data = read_artefact(path, name=name, most=most, whole=content_type == "application/json")
    if not data.startswith(MAGIC_BYTES[content_type]):
        raise InvalidOutput(f"{name} is not of the type {content_type}.")
    document = check_json(data, kind=Kind(kind), name=name) if content_type == "application/json" else None
    is_drawn = document is not None if content_type == "application/json" else kind != Kind.TILES
    trace = name_trace(document, technique=technique).slug if document and kind == Kind.CURVE else ""
    title = check_label(artefact.get("title", ""), most=readings.MAX_TITLE_CHARACTERS)
    return CheckedArtefact(name, Kind(kind), content_type, title, path, size, is_drawn, trace)


def read_artefact(path: Path, *, name: str, most: int, whole: bool) -> tuple[int, bytes]:
    """How many bytes it has, and all or the first of them; a link or a device in its place is refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise InvalidOutput(f"{name} is missing.") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most:
            raise InvalidOutput(f"{name} is larger than {most // readings.MIB} MiB.")
        return status.st_size, file.read() if whole else file.read(HEAD_BYTES)


def check_json(data: bytes, *, kind: Kind, name: str) -> dict[str, Any] | None:
    """What a person can be shown; None of what is kept for programs."""
    try:
        document = json.loads(data, parse_constant=refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidOutput(f"{name} is no JSON, or holds numbers that JSON does not know.") from error
    fault = find_document_fault(document, kind=kind)
    if fault:
        raise InvalidOutput(f"{name}: {fault}")
    return document if isinstance(document, dict) and document.get("format") == FORMATS[kind] else None


def refuse_constant(constant: str) -> None:
    raise ValueError(constant)
