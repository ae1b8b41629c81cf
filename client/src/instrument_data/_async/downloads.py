"""Several files at once into a folder of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from instrument_data._async.file import AsyncFile
from instrument_data._async.waiting import each, in_thread
from instrument_data.cache import Sums, copy_whole
from instrument_data.places import choose_places
from instrument_data.progress import Bar, NoBar, bar_for

PIECE = 1 << 20


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
    places = choose_places(stored)
    bar = bar_for(progress)
    bar.start(f"{len(stored)} files", sum(one.size_bytes or 0 for one in stored))

    async def save(file: AsyncFile) -> Path:
        place = folder / places[file.id]
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


def has_bytes(place: Path, sha256: str | None) -> bool:
    if sha256 is None or not place.is_file():
        return False
    sums = Sums()
    with place.open("rb") as source:
        while piece := source.read(PIECE):
            sums.add(piece)
    return sums.sha256 == sha256
