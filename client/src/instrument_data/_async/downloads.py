"""Several files at once into a folder of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from instrument_data._async.waiting import each, in_thread
from instrument_data.cache import Sums, copy_whole, safe_name
from instrument_data.progress import Bar, NoBar, bar_for

if TYPE_CHECKING:
    from instrument_data._async.files import AsyncFile

PIECE = 1 << 20
PROCESSED = {"processed": "processed"}  # a folder apart: what was made of raw.csv lies below raw.csv/


class PartOfBar(NoBar):
    """One file's share of a bar for all."""

    def __init__(self, whole: Bar) -> None:
        self._whole = whole

    def advance(self, count: int) -> None:
        self._whole.advance(count)


async def save_files(
    files: Sequence[AsyncFile], folder: Path, *, progress: bool | Bar | None, parallel: int
) -> list[Path]:
    stored = [one for one in files if one.raw.get("uploaded_at") and not one.raw.get("purged_at")]
    bar = bar_for(progress)
    bar.start(f"{len(stored)} files", sum(one.size_bytes or 0 for one in stored))

    async def save(file: AsyncFile) -> Path:
        place = folder / PROCESSED.get(file.category, "") / local_path(file.relative_path)
        if await in_thread(has_bytes, place, file.sha256):
            bar.advance(file.size_bytes or 0)
            return place
        source = await file.path(progress=PartOfBar(bar))
        place.parent.mkdir(parents=True, exist_ok=True)
        await in_thread(copy_whole, source, place)
        return place

    try:
        return sorted([place async for place in each(save, stored, limit=parallel)])
    finally:
        bar.stop()


def local_path(relative_path: str) -> Path:
    """Never outside the folder, whatever a record says."""
    return Path(*(safe_name(part) for part in PurePosixPath(relative_path).parts if part not in ("/", "..")))


def has_bytes(place: Path, sha256: str | None) -> bool:
    if sha256 is None or not place.is_file():
        return False
    sums = Sums()
    with place.open("rb") as source:
        while piece := source.read(PIECE):
            sums.add(piece)
    return sums.sha256 == sha256
