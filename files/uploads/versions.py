"""Versions of a file: other bytes for a path that has some already. Each is a record of its own, with bytes of its own.

Of one path all versions name the first one. They are added under the lock of the run, so that whoever asks for the same
bytes at once is answered the same record; the database holds one record to a number.
"""

from dataclasses import replace
from datetime import datetime

from django.db.models import F, Max, Q

from files.models import File, FileQuerySet
from files.naming import version_path
from files.records import NewFile, create_file, find_or_create_file
from runs.models import Run
from wire.errors import Conflict, ValidationError

PATHS_PER_LOOK = 100


class NoRoomForVersion(Conflict):
    def __init__(self, first: File) -> None:
        super().__init__(
            "The path is too long for the number of a version.", file_id=first.pk, relative_path=first.relative_path
        )


def refuse_without_checksum(new: NewFile) -> None:
    """Raises ValidationError where nothing tells the announced bytes from others of their size."""
    if new.sha256 is None and new.crc32 is None:
        raise ValidationError(fields={"sha256": ["With new_version, sha256 or crc32 is needed."]})


def find_or_create_version(run: Run, new: NewFile, *, at: datetime) -> File:
    """The record of these bytes, in a run whose row is locked: that of the path, until something is stored for it.

    Then the version that has them, else the one whose bytes have not come yet, else a new one. Raises QuotaReached,
    NoRoomForVersion.
    """
    known = find_or_create_file(run, new, at=at).file
    first = known.version_of or known
    if first.uploaded_at is None or first.source_file_id is not None:  # what processing made has no versions
        return known
    versions = list_versions(first)
    return _find_same_bytes(versions, new) or _find_waiting(versions) or _create_version(run, first, new, at=at)


def list_versions(first: File) -> FileQuerySet:
    """All records of the path, dismissed ones too, in no order."""
    return File.objects.filter(Q(pk=first.pk) | Q(version_of=first.pk))


def _find_same_bytes(versions: FileQuerySet, new: NewFile) -> File | None:
    """Of the same size, with one checksum in common at least and none that differs; stored ones first."""
    same, in_common = Q(size_bytes=new.size_bytes), Q()
    for name, said in (("sha256", new.sha256), ("crc32", new.crc32)):
        if said is not None:
            same &= Q(**{name: said}) | Q(**{f"{name}__isnull": True})
            in_common |= Q(**{name: said})
    return versions.filter(same & in_common).order_by(F("uploaded_at").asc(nulls_last=True), "-version").first()


def _find_waiting(versions: FileQuerySet) -> File | None:
    return versions.active().filter(uploaded_at__isnull=True).order_by("-version").first()


def _create_version(run: Run, first: File, new: NewFile, *, at: datetime) -> File:
    newest = list_versions(first).aggregate(newest=Max("version"))["newest"]
    number, path = _find_free_path(first, number=newest + 1)
    named = replace(new, relative_path=path, filename=path.rpartition("/")[2])
    return create_file(run, named, version=number, version_of=first, at=at)


def _find_free_path(first: File, *, number: int) -> tuple[int, str]:
    """From this number on the first one whose path is no file's yet."""
    while True:
        numbers = range(number, number + PATHS_PER_LOOK)
        paths = {path: each for each in numbers if (path := version_path(first.relative_path, each)) is not None}
        if not paths:
            raise NoRoomForVersion(first)
        others = File.objects.filter(run=first.run_id, category=first.category, relative_path__in=paths)
        taken = set(others.values_list("relative_path", flat=True))
        for path, each in paths.items():
            if path not in taken:
                return each, path
        number += PATHS_PER_LOOK
