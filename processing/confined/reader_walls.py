"""Whether the processes that read files can be walled in on this machine, asked in a process like theirs."""

import json
import logging
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from processing.confined.confinement import build_child_environment
from processing.confined.fork_server_client import build_interpreter_command
from processing.confined.walls.raising import WALLS, Wall

log = logging.getLogger(__name__)
PROBE_PROGRAM = Path(__file__).parent / "walls" / "probe.py"
PROBE_TIMEOUT_SECONDS = 60.0


class ReaderWallsMissing(Exception):
    """Its text is for whoever starts the service."""


def find_missing_walls() -> dict[str, str]:
    """By name, and why. Tens of milliseconds."""
    asked = subprocess.run(
        [*build_interpreter_command(), str(PROBE_PROGRAM)],
        env=build_child_environment(Path(tempfile.gettempdir())),
        cwd="/",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PROBE_TIMEOUT_SECONDS,
        check=True,
    )
    return dict(json.loads(asked.stdout))


def describe_missing_wall(wall: Wall, reason: str) -> str:
    return f"Readers of files are not kept from {wall.keeps_from}: {wall.name} is missing ({reason}); {wall.remedy}."


def require_reader_walls(missing: Mapping[str, str], *, required: bool) -> None:
    """Log what is missing. ReaderWallsMissing where nothing may be."""
    sentences = [describe_missing_wall(wall, missing[wall.name]) for wall in WALLS if wall.name in missing]
    for sentence in sentences:
        log.warning(sentence)
    if sentences and required:
        raise ReaderWallsMissing(" ".join(["REQUIRE_READER_WALLS is set, so no file is read.", *sentences]))
