"""Folders that are one measurement: their files arrive one by one, and are read together with the one that leads."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import PurePosixPath

from django.db import transaction

from files.choices import FileCategory, FileStatus
from files.models import File, FileQuerySet
from processing.jobs import enqueue_files
from processing.models import ProcessingJob
from processing.readings import FolderRule
from processing.registry import get_registry

NOT_YET_STORED = (FileStatus.DETECTED, FileStatus.UPLOAD_REQUESTED)
MAX_MEMBERS = 500
MAX_NAMED = 5


@dataclass(frozen=True)
class Folder:
    """The leading file and the others that are read with it, by their place below its folder."""

    leader: File
    rule: FolderRule

    @property
    def root(self) -> PurePosixPath:
        return PurePosixPath(self.leader.relative_path).parent

    def list_members(self) -> list[tuple[str, File]]:
        """The first 500; `describe_left_out` says so where there are more."""
        return self.members[:MAX_MEMBERS]

    @cached_property
    def members(self) -> list[tuple[str, File]]:
        prefix = "" if str(self.root) == "." else f"{self.root}/"
        found = raw_files(self.leader).filter(relative_path__startswith=prefix).order_by("relative_path")
        named = ((file.relative_path.removeprefix(prefix), file) for file in found.exclude(pk=self.leader.pk))
        return [(place, file) for place, file in named if self.rule.holds(place)]

    def describe_left_out(self) -> list[str]:
        count = len(self.members)
        return [f"Only the first {MAX_MEMBERS} of {count:,} files of its folder were read with it."][
            : count > MAX_MEMBERS
        ]

    def describe_missing(self) -> str:
        """Which files of the folder are announced and not yet stored; nothing where all are there."""
        missing = [place for place, file in self.list_members() if file.status in NOT_YET_STORED]
        named = ", ".join(missing[:MAX_NAMED])
        return f"It is read once the other files of its folder are there: {named}." if missing else ""


def raw_files(like: File) -> FileQuerySet:
    return File.objects.filter(run_id=like.run_id, category=FileCategory.RAW).active()


def list_rules() -> Iterator[FolderRule]:
    return (kind.folder for kind in get_registry().types.values() if kind.folder is not None)


def find_folder_led_by(file: File, rule: FolderRule | None) -> Folder | None:
    return Folder(file, rule) if rule is not None and rule.is_led_by(file.filename) else None


def find_folder_of(file: File) -> Folder | None:
    """The folder of whose measurement the file is a part, where the one that leads it is in the run."""
    place = PurePosixPath(file.relative_path)
    for rule in list_rules():
        for depth in rule.depths:
            if len(place.parts) < depth or not rule.holds("/".join(place.parts[-depth:])):
                continue
            root = PurePosixPath(*place.parts[:-depth])
            leader = raw_files(file).filter(relative_path=str(root / rule.leader)).first()
            if leader is not None:
                return Folder(leader, rule)
    return None


@transaction.atomic
def wake_leader(folder: Folder, *, arrived: File, at: datetime) -> None:
    """Have the leading file read, unless it was asked for after this one had arrived, or others are still missing."""
    job = ProcessingJob.objects.filter(pk=folder.leader.pk).first()
    is_known = job is not None and arrived.uploaded_at is not None and job.requested_at > arrived.uploaded_at
    if folder.leader.uploaded_at is None or is_known or folder.describe_missing():
        return
    enqueue_files([folder.leader], claim=False, at=at)


def describe_member(folder: Folder) -> str:
    return f"It is read together with {folder.leader.relative_path}."


def note_members(folder: Folder, members: Sequence[File]) -> None:
    """Members that came before the one that leads say with which they were read."""
    said = [describe_member(folder)]
    for file in members:
        if file.status == FileStatus.UPLOADED and file.extracted.get("warnings") != said:
            File.objects.filter(pk=file.pk, status=FileStatus.UPLOADED).update(
                extracted={**file.extracted, "warnings": said}
            )
