"""What of somebody's files a run has already, by name and by SHA-256."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import Q

from accounts.callers import Caller
from files.choices import FileCategory
from files.models import File
from runs.lifecycle import find_active_run


class Likeness(StrEnum):
    NEW = "new"
    HERE = "here"  # these bytes, under this name or as one of its versions
    WAITS = "waits"  # the name is announced, its bytes are not stored
    OTHER_NAME = "other_name"  # these bytes, under another name
    OTHER_BYTES = "other_bytes"  # this name, with other bytes
    DISMISSED = "dismissed"


@dataclass(frozen=True)
class OwnFile:
    """A file that somebody has. The path is that within the run."""

    relative_path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class Compared:
    """How a file is like what the run has, and the file of the run that it is like."""

    likeness: Likeness
    known: File | None = None


def compare_with_run(*, instrument: str, run_id: str, files: Sequence[OwnFile], by: Caller) -> list[Compared]:
    """For each file, in the order given, what the run has of it. Raises RunMissing, RunIsDeleted."""
    run = find_active_run(instrument=instrument, run_id=run_id, by=by)
    paths, sums = [file.relative_path for file in files], [file.sha256 for file in files]
    raw = run.files.filter(category=FileCategory.RAW)
    known = list(raw.filter(Q(relative_path__in=paths) | Q(sha256__in=sums, uploaded_at__isnull=False)).order_by("pk"))
    by_path = {file.relative_path: file for file in known}
    return [_compare(file, by_path.get(file.relative_path), known) for file in files]


def _compare(own: OwnFile, named: File | None, known: Sequence[File]) -> Compared:
    alike = [file for file in known if _has_bytes(file, own)]
    if named is None:
        return Compared(Likeness.OTHER_NAME, alike[0]) if alike else Compared(Likeness.NEW)
    if named.deleted_at is not None:
        return Compared(Likeness.DISMISSED, named)
    if named.uploaded_at is None:
        return Compared(Likeness.WAITS, named)
    same = next((file for file in alike if named.pk in (file.pk, file.version_of_id)), None)
    return Compared(Likeness.HERE, same) if same else Compared(Likeness.OTHER_BYTES, named)


def _has_bytes(file: File, own: OwnFile) -> bool:
    return file.uploaded_at is not None and (file.sha256, file.size_bytes) == (own.sha256, own.size_bytes)
