"""Reading in the test's own process: for readers whose isolation is not what the test is about."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from processing.readings import Input, Kind, Output

Reader = Callable[[Input], Output]


def read_here(reader: Reader, path: Path, data: bytes | str, *, zone: str = "UTC", instrument_type: str = "") -> Output:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return reader(Input(path, path.name, instrument_type, ZoneInfo(zone)))


def documents(output: Output, kind: Kind) -> list[Any]:
    return [json.loads(artefact.data) for artefact in output.artefacts if artefact.kind is kind]


def the(output: Output, kind: Kind) -> Any:
    """The one document of this kind."""
    (found,) = documents(output, kind)
    return found
