"""The end of the agent's log, as its file has it: what must not be told was left out when it was written."""

import os
from dataclasses import dataclass
from pathlib import Path

import regex

from instrument_watcher.platforms import opening

TAIL_BYTES = 64 * 1024
LINE = regex.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d{3} (\w+) +(.*)")


@dataclass(frozen=True)
class LogLine:
    """`level` is debug, info, warning, error or critical."""

    at: str
    level: str
    message: str


def tail(path: Path, *, limit: int) -> list[LogLine]:
    """The latest lines, newest first; of a fault's traceback the last line is part of its message."""
    try:
        with os.fdopen(opening.open_for_reading(str(path)), "rb") as stream:  # the log may be renamed meanwhile
            size = stream.seek(0, 2)
            stream.seek(max(0, size - TAIL_BYTES))
            text = stream.read().decode("utf-8", "replace")
    except OSError:
        return []
    lines: list[LogLine] = []
    last = ""
    for raw in map(str.rstrip, reversed(text.split("\n"))):
        if found := LINE.fullmatch(raw):
            at, level, message = found.groups()
            lines.append(LogLine(at, level.lower(), f"{message} ({last.strip()})" if last else message))
            last = ""
        else:
            last = last or raw
        if len(lines) == limit:
            break
    return lines
