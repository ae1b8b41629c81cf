"""Reading one file in a confined child, from the outside: what goes in, what may come out, and why it may not."""

import json
import logging
import shutil
import signal
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from processing import failures
from processing.confined.fork_server_client import ChildExit, Progress, fork_server_pool, ignore_progress
from processing.confined.job import ARTEFACTS_FOLDER, DATASETS_FOLDER, JOB_FILE, OUTPUT_FILE
from processing.confined.output import InvalidOutput, Reading, check_output
from processing.dataset_making.checks import check_datasets
from processing.failures import NotRecognised, ReaderDelayed, ReaderLost, ReadingFailed
from processing.gzip_files import MAX_UNPACKED_BYTES, unpacked_name
from processing.readings import InstrumentType

logger = logging.getLogger(__name__)
MAX_OUTPUT_FILE_BYTES = 1024 * 1024
LOG_TAIL_BYTES = 4000


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A private folder for one reading, with its `input` folder; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="ids-reading-", dir=parent) as name:
        (Path(name) / "input").mkdir()
        yield Path(name)


def read_file(
    home: Path, *, filename: str, kind: InstrumentType, time_zone: str, progress: Progress = ignore_progress
) -> Reading:
    """Read `home/input/filename` as this kind. Artefacts stay in `home`. Raises ReadingFailed or a child of it."""
    path = home / "input" / filename
    size = path.stat().st_size
    if size > kind.most_bytes(filename):
        raise ReadingFailed(failures.describe_size_limit(kind, filename, size))
    if size == 0:
        raise ReadingFailed(failures.describe_unreadable(kind, "The file is empty."))
    kind = kind.allow_for(size)
    path.chmod(0o400)
    (home / JOB_FILE).write_text(json.dumps(build_job(kind, filename=filename, time_zone=time_zone)))
    with fork_server_pool.lend() as fork_server:
        ending = fork_server.run(home, limits=kind.limits, progress=progress)
    logger.debug("%s of %s bytes was read within %s bytes of memory", kind.name, size, ending.peak_bytes)
    answer = read_answer(home, kind, ending)
    try:
        reading = check_output(answer, folder=home / ARTEFACTS_FOLDER)
        return replace(reading, datasets=check_datasets(home / DATASETS_FOLDER))
    except InvalidOutput as error:
        raise ReadingFailed(failures.describe_invalid_output(kind, str(error)), detail=read_log_tail(home)) from error


def build_job(kind: InstrumentType, *, filename: str, time_zone: str) -> dict[str, str | int | None]:
    return {
        "process": kind.process,
        "instrument_type": kind.name,
        "filename": filename,
        "time_zone": time_zone,
        "archive_levels": kind.limits.archive_levels,
        "max_unpacked_bytes": None if kind.reads_gzip else choose_unpacked_limit(kind, filename),
    }


def choose_unpacked_limit(kind: InstrumentType, filename: str) -> int:
    return min(kind.most_bytes(unpacked_name(filename)), MAX_UNPACKED_BYTES)


def read_answer(home: Path, kind: InstrumentType, ending: ChildExit) -> object:
    """What the child wrote, unless how it ended says more."""
    if ending.timed_out:
        raise ReaderDelayed(failures.describe_timeout(kind), detail=read_log_tail(home))
    if ending.filled_disk:
        raise ReadingFailed(failures.describe_space_limit(kind), detail=read_log_tail(home))
    if ending.exit_code == -signal.SIGKILL:
        raise ReaderLost(detail=read_log_tail(home))
    if ending.exit_code != 0:
        raise ReadingFailed(failures.describe_crash(kind, ending.exit_code), detail=read_log_tail(home))
    answer = parse_output(home / OUTPUT_FILE, kind)
    failure = answer.get("failure") if isinstance(answer, dict) else None
    if isinstance(failure, dict):
        raise build_failure(kind, failure, log=read_log_tail(home))
    return answer


def parse_output(path: Path, kind: InstrumentType) -> object:
    try:
        if not is_plain_file(path):
            raise OSError("it is no plain file")
        if path.stat().st_size > MAX_OUTPUT_FILE_BYTES:
            raise ReadingFailed(failures.describe_invalid_output(kind, "Its output.json is larger than 1 MiB."))
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ReadingFailed(
            failures.describe_invalid_output(kind, "Its output.json cannot be read."), detail=str(error)
        ) from error


def build_failure(kind: InstrumentType, failure: dict[str, object], *, log: str) -> ReadingFailed:
    message = str(failure.get("message", ""))
    detail = "\n".join([str(failure.get("class", "")), *map(str, as_list(failure.get("traceback"))), log]).strip()
    match failure.get("reason"):
        case "memory":
            return ReadingFailed(failures.describe_memory_limit(kind), detail=detail)
        case "unrecognised":
            return NotRecognised(message, detail=detail)
        case "unreadable":
            return ReadingFailed(failures.describe_unreadable(kind, message), detail=detail)
        case _:
            return ReadingFailed(failures.describe_damaged(kind, message), detail=detail)


def as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def read_log_tail(home: Path) -> str:
    """The end of what the child and its libraries printed."""
    try:
        if not is_plain_file(home / "log"):
            return ""
        with (home / "log").open("rb") as log:
            log.seek(max(0, (home / "log").stat().st_size - LOG_TAIL_BYTES))
            return log.read().decode(errors="replace")
    except OSError:
        return ""


def is_plain_file(path: Path) -> bool:
    """No link to what the child could not read itself, no pipe to wait at for ever. OSError: there is none."""
    return stat.S_ISREG(path.lstat().st_mode)


def put_input(home: Path, source: Path, *, filename: str) -> None:
    """Copy a local file to where the child finds it."""
    shutil.copyfile(source, home / "input" / filename)
