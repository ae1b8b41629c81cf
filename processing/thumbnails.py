"""A run's small picture is drawn after each reading of its files, and once for what was read before."""

import logging
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

from files.drawing.documents import NotDrawable, parse_document
from files.drawing.thumbnail import draw_thumbnail
from files.models import File
from files.storage import object_store
from files.storage.interface import ObjectMissing
from files.thumbnails.keeping import (
    DRAWN_KINDS,
    SmallPicture,
    has_thumbnail,
    is_known_by,
    keep_thumbnail,
    list_candidates,
    list_drawable_runs,
)
from files.thumbnails.models import ThumbnailType
from files.thumbnails.size import MAX_THUMBNAIL_BYTES
from processing.confined.reading import read_file, scratch_folder
from processing.declarations import list_declared_viewers
from processing.failures import ReadingFailed
from processing.readings import InstrumentType, Limits
from runs.models import Run

log = logging.getLogger(__name__)
RUNS_PER_BATCH = 500
MANY_FILES = 200
SMALL_PICTURES = InstrumentType(
    "small-picture",
    "Small picture",
    ("png", "jpg", "jpeg"),
    "processing.small_pictures:shrink",
    limits=Limits(seconds=30, cpu_seconds=20),
)


def draw_after_reading(run: Run) -> None:
    """Best effort: whatever happens, the reading has ended well, and `draw_thumbnails` makes up for it.

    A run of many files keeps its first picture meanwhile: to look at all artefacts after each of them adds up.
    """
    try:
        if run.file_count <= MANY_FILES or not has_thumbnail(run.pk):
            draw_run(run)
    except Exception:
        log.exception("run %s has no new thumbnail", run.pk)


def draw_run(run: Run) -> bool:
    """Keep a picture of the best artefact that can be drawn; False where it was kept already, or nothing can be.

    Not within a transaction. Raises StoreUnavailable.
    """
    candidates = list_candidates(run.pk, first=[str(viewer.kind) for viewer in list_declared_viewers(run)])
    if is_known_by(run.pk, candidates[:1]):
        return False
    picture = next(filter(None, map(draw_file, candidates)), None)
    keep_thumbnail(run.pk, picture)
    return picture is not None


def draw_file(file: File) -> SmallPicture | None:
    """What an artefact looks like; None where it cannot be drawn, or its bytes are gone. Raises StoreUnavailable."""
    try:
        if file.metadata.get("kind") in DRAWN_KINDS:
            kind = str(file.metadata["kind"])
            return SmallPicture(
                file, ThumbnailType.SVG, draw_thumbnail(parse_document(fetch(file), kind=kind), kind=kind)
            )
        return SmallPicture(file, ThumbnailType.JPEG, shrink_picture(fetch(file)))
    except (NotDrawable, ObjectMissing, ReadingFailed) as problem:
        log.info("file %s is no thumbnail: %s", file.pk, problem)
        return None


def fetch(file: File) -> bytes:
    with object_store().open_range(file.storage_key or "") as source:
        return source.read()


def shrink_picture(data: bytes) -> bytes:
    """In a confined child. Raises ReadingFailed, NotDrawable."""
    with scratch_folder() as home:
        (home / "input" / "picture.png").write_bytes(data)
        reading = read_file(home, filename="picture.png", kind=SMALL_PICTURES, time_zone="UTC")
        small = next((read_small(made.path) for made in reading.artefacts), b"")
    if not 0 < len(small) <= MAX_THUMBNAIL_BYTES:
        raise NotDrawable
    return small


def read_small(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(MAX_THUMBNAIL_BYTES + 1)


def draw_stored(*, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Look at the runs there are, the newest first: how many each batch held, and how many pictures were drawn."""
    before: UUID | None = None
    seen = 0
    while True:
        room = RUNS_PER_BATCH if most is None else min(RUNS_PER_BATCH, most - seen)
        ids = list_drawable_runs(before=before, most=room) if room > 0 else []
        if not ids:
            return
        runs = Run.objects.only("id").in_bulk(ids)
        yield len(ids), sum(draw_run(runs[run_id]) for run_id in ids if run_id in runs)
        before, seen = ids[-1], seen + len(ids)
