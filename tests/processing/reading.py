"""Reading a file in the real child, with everything that came of it kept for the test to look at."""

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from processing.confined.fork_server_client import fork_server_pool
from processing.confined.job import JOB_FILE, OUTPUT_FILE
from processing.confined.reading import build_job, put_input, read_file, scratch_folder
from processing.readings import HEAD_BYTES, InstrumentType, Limits
from processing.registry import choose_type


@dataclass(frozen=True)
class Kept:
    kind: str
    content_type: str
    title: str
    data: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.data)


@dataclass(frozen=True)
class Found:
    run: dict[str, Any]
    file: dict[str, Any]
    acquired_at: datetime | None
    warnings: list[str]
    artefacts: dict[str, Kept]

    def of_kind(self, kind: str) -> list[Any]:
        return [kept.document for kept in self.artefacts.values() if kept.kind == kind]


def read(path: Path, *, instrument_type: str = "generic", time_zone: str = "UTC", filename: str = "") -> Found:
    """As the job does it: choose the type by head, name and instrument, then read."""
    name = filename or path.name
    with path.open("rb") as file:
        kind = choose_type(filename=name, head=file.read(HEAD_BYTES), instrument_type=instrument_type)
    assert kind is not None, f"nobody reads {name}"
    return read_as(kind, path, time_zone=time_zone, filename=name)


def read_as(kind: InstrumentType, path: Path, *, time_zone: str = "UTC", filename: str = "") -> Found:
    name = filename or path.name
    with scratch_folder() as home:
        put_input(home, path, filename=name)
        reading = read_file(home, filename=name, kind=kind, time_zone=time_zone)
        artefacts = {
            kept.name: Kept(kept.kind, kept.content_type, kept.title, kept.path.read_bytes())
            for kept in reading.artefacts
        }
        return Found(dict(reading.run), dict(reading.file), reading.acquired_at, list(reading.warnings), artefacts)


def read_peak(kind: InstrumentType, path: Path) -> int:
    """The memory that the child reading the file used at once, in bytes."""
    kind = kind.allow_for(path.stat().st_size)
    with scratch_folder() as home:
        put_input(home, path, filename=path.name)
        (home / JOB_FILE).write_text(json.dumps(build_job(kind, filename=path.name, time_zone="UTC")))
        with fork_server_pool.lend() as fork_server:
            ending = fork_server.run(home, limits=kind.limits)
        assert ending.exit_code == 0
        assert "failure" not in json.loads((home / OUTPUT_FILE).read_text())
        return ending.peak_bytes


def reader(function: str, **limits: Any) -> InstrumentType:
    """A type whose reader is a function of tests/processing/readers.py."""
    return InstrumentType("test", "Test", ("txt",), f"tests.processing.readers:{function}", limits=Limits(**limits))
