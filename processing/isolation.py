"""Reading one file in a confined child, from the outside: what goes in, what may come out, and why it may not."""

import json
import logging
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from processing import failures
from processing.failures import NotRecognised, ReaderLost, ReadingFailed
from processing.job import ARTEFACTS, JOB, OUTPUT
from processing.output import InvalidOutput, Reading, check_output
from processing.readings import InstrumentType
from processing.zygote import Ending, Progress, nothing, nursery

logger = logging.getLogger(__name__)
MOST_OUTPUT_FILE_BYTES = 1024 * 1024
LOG_TAIL_BYTES = 4000


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A private folder for one reading, with its `input` folder; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ids-reading-", dir=parent) as name:
        (Path(name) / "input").mkdir()
        yield Path(name)


def read_file(
    home: Path, *, filename: str, kind: InstrumentType, time_zone: str, progress: Progress = nothing
) -> Reading:
    """Read `home/input/filename` as this kind. Artefacts stay in `home`. Raises ReadingFailed or a child of it."""
    path = home / "input" / filename
    size = path.stat().st_size
    if size > kind.limits.input_bytes:
        raise ReadingFailed(failures.too_large(kind, size))
    if size == 0:
        raise ReadingFailed(failures.unreadable(kind, "The file is empty."))
    path.chmod(0o400)
    (home / JOB).write_text(json.dumps(job_of(kind, filename=filename, time_zone=time_zone)))
    with nursery.zygote() as zygote:
        ending = zygote.run(home, limits=kind.limits, progress=progress)
    answer = answer_of(home, kind, ending)
    try:
        return check_output(answer, folder=home / ARTEFACTS)
    except InvalidOutput as error:
        raise ReadingFailed(failures.invalid(kind, str(error)), detail=log_of(home)) from error


def job_of(kind: InstrumentType, *, filename: str, time_zone: str) -> dict[str, str | int]:
    return {
        "process": kind.process,
        "instrument_type": kind.name,
        "filename": filename,
        "time_zone": time_zone,
        "archive_levels": kind.limits.archive_levels,
    }


def answer_of(home: Path, kind: InstrumentType, ending: Ending) -> object:
    """What the child wrote, unless how it ended says more."""
    if ending.timed_out:
        raise ReadingFailed(failures.too_slow(kind), detail=log_of(home))
    if ending.exit_code == -signal.SIGKILL:
        raise ReaderLost(detail=log_of(home))
    if ending.exit_code != 0:
        raise ReadingFailed(failures.crashed(kind, ending.exit_code), detail=log_of(home))
    answer = parsed(home / OUTPUT, kind)
    failure = answer.get("failure") if isinstance(answer, dict) else None
    if isinstance(failure, dict):
        raise failed(kind, failure, log=log_of(home))
    return answer


def parsed(path: Path, kind: InstrumentType) -> object:
    try:
        if path.is_symlink() or path.stat().st_size > MOST_OUTPUT_FILE_BYTES:
            raise ReadingFailed(failures.invalid(kind, "Its output.json is larger than 1 MiB."))
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ReadingFailed(failures.invalid(kind, "Its output.json cannot be read."), detail=str(error)) from error


def failed(kind: InstrumentType, failure: dict[str, object], *, log: str) -> ReadingFailed:
    message = str(failure.get("message", ""))
    detail = "\n".join([str(failure.get("class", "")), *map(str, as_list(failure.get("traceback"))), log]).strip()
    match failure.get("reason"):
        case "memory":
            return ReadingFailed(failures.too_much_memory(kind), detail=detail)
        case "unrecognised":
            return NotRecognised(message, detail=detail)
        case "unreadable":
            return ReadingFailed(failures.unreadable(kind, message), detail=detail)
        case _:
            return ReadingFailed(failures.damaged(kind, message), detail=detail)


def as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def log_of(home: Path) -> str:
    """The end of what the child and its libraries printed."""
    try:
        with (home / "log").open("rb") as log:
            log.seek(max(0, (home / "log").stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace")
    except OSError:
        return ""


def put_input(home: Path, source: Path, *, filename: str) -> None:
    """Copy a local file to where the child finds it."""
    shutil.copyfile(source, home / "input" / filename)
