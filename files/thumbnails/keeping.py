"""The small pictures of runs: which artefact a run is known by, which picture is kept of it, and who sees it."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Case, Exists, IntegerField, OuterRef, Q, Value, When
from django.db.models.fields.json import KeyTextTransform

from accounts.callers import Caller
from files.choices import FileCategory
from files.drawing.documents import MAX_DOCUMENT_BYTES
from files.models import File, Thumbnail
from files.previews import MAX_PREVIEW_BYTES
from files.thumbnails.models import DIGEST_DIGITS, ThumbnailType
from runs.addresses import path_of_run
from runs.models import Run
from wire.errors import NotFound

DRAWN_KINDS = ("curve", "plate")
SHRUNK_TYPES = ("image/png", "image/jpeg")
SMALL_PICTURE = "thumbnail.png"  # the smaller one of two that a reader made
MAX_CANDIDATES = 5  # artefacts that are tried, before a run stays without


class ThumbnailMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("This run has no thumbnail.")


@dataclass(frozen=True)
class ThumbnailLink:
    """Where a run's small picture is, and what kind of thing it shows. The address tells one picture from another."""

    address: str
    kind: str


@dataclass(frozen=True)
class SmallPicture:
    """What was drawn of an artefact."""

    source: File
    content_type: ThumbnailType
    data: bytes


def map_thumbnails(runs: Sequence[Run], *, by: Caller) -> Mapping[UUID, ThumbnailLink]:
    """Those that these runs have; one query."""
    found = Thumbnail.objects.visible_to(by).lasting().filter(run__in=[run.pk for run in runs])
    kinds = found.annotate(kind=KeyTextTransform("kind", "file__metadata")).values_list("run_id", "digest", "kind")
    known = {run_id: (digest, kind) for run_id, digest, kind in kinds}
    return {
        run.pk: ThumbnailLink(f"{path_of_run(run.instrument_id, run.run_id)}/thumbnail/{digest}", kind or "picture")
        for run in runs
        if run.pk in known
        for digest, kind in [known[run.pk]]
    }


def find_thumbnail(*, instrument: str, run_id: str, by: Caller) -> Thumbnail:
    """Raises ThumbnailMissing."""
    found = Thumbnail.objects.visible_to(by).lasting().filter(run__instrument_id=instrument, run__run_id=run_id)
    thumbnail = found.defer("storage_key").first()
    if thumbnail is None:
        raise ThumbnailMissing
    return thumbnail


def list_candidates(run_id: UUID, *, first: Collection[str] = ()) -> list[File]:
    """The artefacts a run may be known by, best first: kinds in this order, then curves, plates and pictures."""
    kinds = list(dict.fromkeys([*first, *DRAWN_KINDS, "image"]))
    rank = Case(
        When(metadata__kind="image", filename=SMALL_PICTURE, then=Value(2 * kinds.index("image"))),
        *(When(metadata__kind=kind, then=Value(2 * place + 1)) for place, kind in enumerate(kinds)),
        output_field=IntegerField(),
    )
    is_drawn = Q(metadata__kind__in=DRAWN_KINDS, content_type="application/json", size_bytes__lte=MAX_DOCUMENT_BYTES)
    is_shrunk = Q(metadata__kind="image", content_type__in=SHRUNK_TYPES, size_bytes__lte=MAX_PREVIEW_BYTES)
    made = File.objects.filter(is_drawn | is_shrunk, run_id=run_id, category=FileCategory.PROCESSED).active().stored()
    shown = made.exclude(Q(metadata__contains={"shown": False}) & ~Q(metadata__kind="image"))
    columns = shown.only("id", "run_id", "filename", "content_type", "metadata", "size_bytes", "storage_key")
    return list(columns.order_by(rank, "natural_key", "id")[:MAX_CANDIDATES])


def is_known_by(run_id: UUID, best: Sequence[File]) -> bool:
    """Whether the run's picture shows this artefact with these bytes already; of none, whether there is no picture."""
    kept = Thumbnail.objects.filter(run=run_id).values_list("file_id", "storage_key")
    return list(kept) == [(file.pk, file.storage_key) for file in best]


def has_thumbnail(run_id: UUID) -> bool:
    return Thumbnail.objects.lasting().filter(run=run_id).exists()


@transaction.atomic
def keep_thumbnail(run_id: UUID, picture: SmallPicture | None) -> None:
    """In the place of what was kept before. Of an artefact that is gone meanwhile nothing is kept."""
    Run.objects.select_for_update(no_key=True).only("pk").get(pk=run_id)
    drawn = File.objects.filter(pk=picture.source.pk, storage_key=picture.source.storage_key) if picture else None
    is_there = drawn is not None and drawn.filter(purged_at__isnull=True).exists()
    if picture is None or not is_there:
        Thumbnail.objects.filter(run=run_id).exclude(pk__in=Thumbnail.objects.lasting().filter(run=run_id)).delete()
        return
    values: dict[str, Any] = {
        "file": picture.source,
        "storage_key": picture.source.storage_key,
        "content_type": picture.content_type,
        "data": picture.data,
        "digest": hashlib.sha256(picture.data).hexdigest()[:DIGEST_DIGITS],
    }
    Thumbnail.objects.update_or_create(run_id=run_id, defaults=values)


def list_drawable_runs(*, before: UUID | None, most: int) -> list[UUID]:
    """Runs with artefacts, the newest first, from this one on."""
    made = File.objects.filter(run=OuterRef("pk"), category=FileCategory.PROCESSED).active()
    runs = Run.objects.filter(Exists(made)).order_by("-pk")
    return list((runs.filter(pk__lt=before) if before else runs).values_list("pk", flat=True)[:most])
