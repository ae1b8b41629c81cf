"""One reading, as the child sees it: job.json says what to read, output.json and its artefacts what came of it."""

import gc
import json
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import tzinfo
from pathlib import Path
from pkgutil import resolve_name
from typing import Any
from zoneinfo import ZoneInfo

from processing.archive_inspection import check_archive
from processing.dataset_making.values import name_datasets
from processing.doubts.every_rule import list_all_doubts
from processing.failures import explain_error
from processing.gzip_files import is_gzip, unpack_file, unpacked_name
from processing.markup import check_markup
from processing.readings import (
    HEAD_BYTES,
    MAX_DATASETS,
    Artefact,
    Input,
    Output,
    Unreadable,
    Unrecognised,
    find_room_for_datasets,
)

JOB_FILE, OUTPUT_FILE = "job.json", "output.json"
ARTEFACTS_FOLDER, DATASETS_FOLDER = "artefacts", "datasets"
UNPACKED_FOLDER = "unpacked"
MAX_TRACEBACK_LINES = 20


@dataclass(frozen=True)
class ReadingJob:
    process: str
    instrument_type: str
    filename: str
    time_zone: str
    archive_levels: int
    max_unpacked_bytes: int | None  # of a file packed with gzip; None: its reader unpacks by itself

    @property
    def zone(self) -> tzinfo:
        return ZoneInfo(self.time_zone)


def run_job(home: Path) -> None:
    """Read the file and write what came of it. Whatever a reader raises is told."""
    job = ReadingJob(**json.loads((home / JOB_FILE).read_text()))
    try:
        room = find_room_for_datasets((home / "input" / job.filename).stat().st_size)
        write_output(home, read_input(home, job), room_for_datasets=room)
    except MemoryError:
        write_failure(home, reason="memory")
    except Unrecognised as error:
        write_failure(home, reason="unrecognised", message=str(error))
    except Unreadable as error:
        write_failure(home, reason="unreadable", message=str(error))
    except Exception as error:
        write_failure(home, reason="damaged", error=error)


def read_input(home: Path, job: ReadingJob) -> Output:
    path = unpack_input(home, job)
    check_archive(path, levels=job.archive_levels)
    check_markup(path)
    given = Input(path=path, filename=path.name, instrument_type=job.instrument_type, time_zone=job.zone)
    output = resolve_name(job.process)(given)
    with paused_collector():
        return replace(output, warnings=[*output.warnings, *list_all_doubts(path, output)])


@contextmanager
def paused_collector() -> Iterator[None]:
    """Rules split texts into many cells, and leave no cycles: looking for some took a third of their time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def unpack_input(home: Path, job: ReadingJob) -> Path:
    """The file itself, or what it holds where it is packed with gzip."""
    path = home / "input" / job.filename
    with path.open("rb") as file:
        if job.max_unpacked_bytes is None or not is_gzip(file.read(HEAD_BYTES)):
            return path
    unpacked = home / UNPACKED_FOLDER / unpacked_name(job.filename)
    unpacked.parent.mkdir()
    unpack_file(path, to=unpacked, max_bytes=job.max_unpacked_bytes)
    return unpacked


def write_output(home: Path, output: Output, *, room_for_datasets: int) -> None:
    folder = home / ARTEFACTS_FOLDER
    folder.mkdir()
    artefacts = [write_artefact(folder / str(number), artefact) for number, artefact in enumerate(output.artefacts)]
    omissions = write_datasets(home / DATASETS_FOLDER, output, room=room_for_datasets)
    acquired_at = output.acquired_at.isoformat() if output.acquired_at else None
    answer = {
        "run": output.run,
        "file": output.file,
        "acquired_at": acquired_at,
        "warnings": [*output.warnings, *omissions],
        "artefacts": artefacts,
    }
    (home / OUTPUT_FILE).write_text(json.dumps(answer))


def write_datasets(folder: Path, output: Output, *, room: int) -> list[str]:
    """The reader's own first, then those of its pictures; the answer is a word about each that is left out."""
    from processing.dataset_making.files import TooLarge, write_dataset  # numpy, which a plain reading does without

    found = [*output.datasets, *(one for artefact in output.artefacts for one in artefact.datasets)]
    kept, omissions = 0, list[str]()
    for one in name_datasets([one for one in found if one.columns])[:MAX_DATASETS]:
        try:
            room -= write_dataset(folder / str(kept), one, most_bytes=room)
            kept += 1
        except TooLarge as problem:
            omissions.append(str(problem))
    return omissions


def write_artefact(path: Path, artefact: Artefact) -> dict[str, str]:
    if artefact.path is not None:
        artefact.path.replace(path)
    else:
        path.write_bytes(artefact.data)
    return {
        "name": artefact.name,
        "kind": artefact.kind,
        "content_type": artefact.content_type,
        "title": artefact.title,
    }


def write_failure(home: Path, *, reason: str, message: str = "", error: Exception | None = None) -> None:
    failure: Mapping[str, Any] = {"reason": reason, "message": message}
    if error is not None:
        lines = traceback.format_exception(error)
        failure = {
            "reason": reason,
            "message": explain_error(error),
            "class": type(error).__name__,
            "traceback": "".join(lines).splitlines()[-MAX_TRACEBACK_LINES:],
        }
    (home / OUTPUT_FILE).write_text(json.dumps({"failure": failure}))
