"""Where the files of a run come to lie in a folder of one's own: each in a place that no other takes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from instrument_data.cache import safe_name
from instrument_data.records import FileRecord

PROCESSED = {"processed": "processed"}  # a folder apart: what was made of raw.csv lies below raw.csv/
IS_CASE_KNOWN = sys.platform not in ("win32", "darwin")


def choose_places(files: Sequence[FileRecord]) -> dict[int, Path]:
    """By id, relative to the folder.

    Names become such that every system takes them, by which two can become one; what then is a file's or a folder's
    place already gets the file's id into its name. Files whose names stay as they are come first.
    """
    wanted = {file.id: _wanted_place(file) for file in files}
    folders = {_key(folder) for place in wanted.values() for folder in place.parents}
    chosen: dict[int, Path] = {}
    taken: set[str] = set(folders)
    for file in sorted(files, key=lambda one: wanted[one.id].as_posix() != one.relative_path):
        place = wanted[file.id]
        if _key(place) in taken:
            place = place.with_name(f"{place.stem}~{file.id}{place.suffix}")
        taken.add(_key(place))
        chosen[file.id] = place
    return chosen


def local_path(relative_path: str) -> Path:
    """Never outside the folder, whatever a record says."""
    return Path(*(safe_name(part) for part in PurePosixPath(relative_path).parts if part not in ("/", "..")))


def _wanted_place(file: FileRecord) -> Path:
    return Path(PROCESSED.get(file.category, ""), local_path(file.relative_path))


def _key(place: Path) -> str:
    return str(place) if IS_CASE_KNOWN else str(place).casefold()
