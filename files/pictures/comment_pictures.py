"""Pictures that people put into comments: artefacts of their own kind, which no reader made and no rule takes away.

They are files of the run like any other: seen by whoever sees it, in its archives, in its RO-Crate, in its trail.
"""

import hashlib
import io
import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from accounts.callers import Caller
from files.choices import FileCategory, FileStatus
from files.intake.quotas import check_file_quota
from files.models import File, FileQuerySet
from files.naming import natural_key
from files.object_keys import build_storage_key, new_key_nonce
from files.removing.lock import refuse_during_copy
from files.removing.removals import decide_removals
from files.storage import object_store
from files.storage.interface import MIB
from runs.holds.rules import refuse_held
from runs.lifecycle import find_active_run, lock_active_run
from runs.markdown import PICTURE_ADDRESS
from runs.models import Run
from wire.errors import Conflict, Forbidden, ValidationError
from wire.queries.row_sets import next_ids

MAX_PICTURE_BYTES = 10 * MIB
MAX_PICTURE_PIXELS = 50_000_000
MAX_ALT_CHARS = 100
KIND = "comment_picture"
FOLDER = "comments"
FORMATS = {"PNG": ("png", "image/png"), "JPEG": ("jpg", "image/jpeg")}
OF_COMMENTS = Q(source_file__isnull=True, category=FileCategory.PROCESSED, extracted__contains={"kind": KIND})
MARKUP = re.compile(r"[\[\]\\`*_<>!\s]+")


class NoPicture(ValidationError):
    def __init__(self, why: str) -> None:
        super().__init__(fields={"picture": [why]})


class PathIsTaken(Conflict):
    def __init__(self, file: File) -> None:
        super().__init__("The run has another file where this picture would lie.", file_id=file.pk)


class NotYourPicture(Forbidden):
    def __init__(self) -> None:
        super().__init__("Only whoever put a picture into a comment, or an admin, may remove it.")


@dataclass(frozen=True)
class Picture:
    """What the bytes are, whatever they were said to be."""

    data: bytes
    content_type: str
    extension: str
    width: int
    height: int

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def read_picture(data: bytes) -> Picture:
    """A PNG or JPEG of at most 10 MiB and 50 million pixels. Raises NoPicture."""
    from PIL import Image  # here alone in what serves pages

    if not data or len(data) > MAX_PICTURE_BYTES:
        raise NoPicture("A picture has at most 10 MiB, and is not empty.")
    try:
        with Image.open(io.BytesIO(data), formats=list(FORMATS)) as image:
            (width, height), found = image.size, str(image.format)
            if width * height > MAX_PICTURE_PIXELS:
                raise NoPicture("A picture has at most 50 million pixels.")
            image.verify()
    except NoPicture:
        raise
    except Exception:  # whatever the library makes of bytes that it does not know
        raise NoPicture("This is no PNG or JPEG picture that can be read.") from None
    extension, content_type = FORMATS[found]
    return Picture(data, content_type, extension, width, height)


def add_comment_picture(*, instrument: str, run_id: str, data: bytes, by: Caller, at: datetime) -> File:
    """Store a picture for the comments of a run; the same bytes again are the same file, as of now.

    Raises RunMissing, RunIsDeleted, NoPicture, QuotaReached, StoreUnavailable, PathIsTaken.
    """
    run = find_active_run(instrument=instrument, run_id=run_id, by=by)
    picture = read_picture(data)
    known = _use_again(run, picture, by=by, at=at)
    if known is not None:
        return known
    file = _build_file(run, picture, by=by, at=at)
    stored = object_store().put(
        file.storage_key or "",
        io.BytesIO(data),
        size_bytes=len(data),
        content_type=picture.content_type,
    )
    file.crc32 = stored.crc32
    with transaction.atomic():
        locked = lock_active_run(instrument=instrument, run_id=run_id, by=by)
        known = _find_known(locked, picture)
        if known is not None and known.purged_at is None:
            return _bring_back(known, by=by, at=at)  # somebody was quicker; a sweep takes the second object
        if known is not None:
            known.delete()
        check_file_quota(locked, [file.relative_path], category=FileCategory.PROCESSED)
        file.save(force_insert=True)
    return file


@transaction.atomic
def _use_again(run: Run, picture: Picture, *, by: Caller, at: datetime) -> File | None:
    """The run's file of these bytes, where it is there: its day until the sweep for unsent ones begins anew."""
    if _find_known(run, picture) is None:
        return None
    locked = lock_active_run(instrument=run.instrument_id, run_id=run.run_id, by=by)
    known = _find_known(locked, picture)
    if known is None or known.deleted_at is not None or known.purged_at is not None:
        return None
    return _bring_back(known, by=by, at=at)


def _bring_back(known: File, *, by: Caller, at: datetime) -> File:
    """The bytes were sent again: a picture that went with its comment is whoever's sent it now."""
    known.uploaded_at = at
    if known.deleted_at is not None:
        known.deleted_at, known.extracted = None, known.extracted | _author(by)
    known.save(update_fields=["deleted_at", "extracted", "uploaded_at"])
    return known


def _author(by: Caller) -> dict[str, str | None]:
    return {
        "added_by": str(by.user.pk) if by.user else None,
        "added_by_token": None if by.user or by.token is None else str(by.token.pk),
    }


def list_comment_pictures(run: Run, file_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Width and height of those of these files that are pictures in this run's comments and are still there."""
    if not file_ids:
        return {}
    found = File.objects.active().stored().filter(OF_COMMENTS, run=run, pk__in=file_ids)
    return {pk: (said.get("width", 0), said.get("height", 0)) for pk, said in found.values_list("pk", "extracted")}


def write_markdown(file: File, *, alt: str) -> str:
    """What a comment says to show it."""
    words = MARKUP.sub(" ", alt).strip()[:MAX_ALT_CHARS] or "Picture"
    return f"![{words}]({PICTURE_ADDRESS.format(file.pk)})"


def is_comment_picture(file: File) -> bool:
    is_artefact = file.category == FileCategory.PROCESSED and file.source_file_id is None
    return is_artefact and file.extracted.get("kind") == KIND


def remove_comment_picture(file: File, *, by: Caller) -> None:
    """Row and bytes, for good; comments keep its words. The run is locked.

    Raises NotYourPicture, RunIsHeld, RemovalOnHold.
    """
    is_author = any(value and value == file.extracted.get(name) for name, value in _author(by).items())
    if not (is_author or (by.user is not None and by.user.is_admin)):
        raise NotYourPicture
    refuse_held(file.run)
    remove_pictures(File.objects.filter(pk=file.pk))


def remove_pictures(files: FileQuerySet) -> int:
    """Within the transaction that decided it, their run locked; how many. Raises RemovalOnHold."""
    refuse_during_copy()
    found = list(files.values_list("pk", "storage_key", "size_bytes"))
    File.objects.filter(pk__in=[pk for pk, _, _ in found]).delete()
    decide_removals({key or "": size or 0 for _, key, size in found})
    return len(found)


def _path_of(picture: Picture) -> str:
    return f"{FOLDER}/{picture.digest[:32]}.{picture.extension}"


def _find_known(run: Run, picture: Picture) -> File | None:
    path = _path_of(picture)
    known = File.objects.filter(run=run, category=FileCategory.PROCESSED, relative_path=path).first()
    if known is not None and (not is_comment_picture(known) or known.sha256 != picture.digest):
        raise PathIsTaken(known)
    return known


def _build_file(run: Run, picture: Picture, *, by: Caller, at: datetime) -> File:
    path = _path_of(picture)
    name = path.rpartition("/")[2]
    file = File(
        pk=next_ids(File, 1)[0],
        run=run,
        filename=name,
        relative_path=path,
        natural_key=natural_key(name),
        category=FileCategory.PROCESSED,
        status=FileStatus.COMPLETED,
        content_type=picture.content_type,
        size_bytes=len(picture.data),
        sha256=picture.digest,
        extracted={
            "kind": KIND,
            **_author(by),
            "width": picture.width,
            "height": picture.height,
        },
        detected_at=at,
        created_at=at,
        uploaded_at=at,
        processed_at=at,
    )
    file.key_nonce = new_key_nonce()
    file.storage_bucket, file.storage_key = object_store().bucket, build_storage_key(file, file.key_nonce)
    return file
