"""The key under which announced bytes go: given to a record once, and kept as long as the same bytes are announced.

All of this is done in a run whose row is locked.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from files.choices import FileCategory
from files.intake.quotas import check_file_quota, reserve_bytes
from files.models import File
from files.records import FileIsDismissed, NewFile, build_file, find_known_file
from files.status import set_report_kind
from files.uploads import declaration as announcement
from files.uploads.declaration import UploadDeclaration, assign_storage_key, declare_upload
from runs.models import Run
from runs.signatures.rules import refuse_signed
from wire.errors import Conflict
from wire.queries.row_sets import insert_rows, next_ids, update_rows

RESERVED_COLUMNS = (*announcement.UPLOAD_COLUMNS, "content_type", "file_created_at", "report_kind")


class OtherBytesStored(Conflict):
    """Stored bytes are never replaced."""

    def __init__(self, file: File) -> None:
        super().__init__(
            "Other bytes are stored for this path.", file_id=file.pk, size_bytes=file.size_bytes, sha256=file.sha256
        )


@dataclass(frozen=True)
class ReservedKey:
    file: File
    is_new_key: bool


def reserve_path(run: Run, new: NewFile, *, bucket: str, at: datetime) -> ReservedKey:
    """The record of the path, found or made, with a key for the announced bytes. Raises as the two below."""
    known = find_known_file(run, new)
    if known is not None:
        return reserve_key(run, known, new, bucket=bucket, at=at)
    (made,) = create_files_with_keys(run, [new], bucket=bucket, at=at)
    return ReservedKey(made, is_new_key=True)


def reserve_key(run: Run, file: File, new: NewFile, *, bucket: str, at: datetime) -> ReservedKey:
    """Raises FileIsDismissed, OtherBytesStored, QuotaReached."""
    if file.deleted_at is not None:
        raise FileIsDismissed(file)
    if file.uploaded_at is not None:
        refuse_other_bytes(file, new)
        return ReservedKey(file, is_new_key=False)
    is_new_key = _take_over(file, new)
    if is_new_key:
        reserve_bytes(run, new.size_bytes or 0, at=at)
        assign_storage_key(file, bucket=bucket)
    update_rows([file], RESERVED_COLUMNS)
    return ReservedKey(file, is_new_key)


def reserve_first_keys(run: Run, named: Sequence[tuple[File, NewFile]], *, bucket: str, at: datetime) -> None:
    """Keys for records that have none yet, by one statement. Raises QuotaReached: then none has."""
    reserve_bytes(run, sum(new.size_bytes or 0 for _, new in named), at=at)
    for file, new in named:
        _take_over(file, new)
        assign_storage_key(file, bucket=bucket)
    update_rows([file for file, _ in named], RESERVED_COLUMNS)


def create_files_with_keys(run: Run, news: Sequence[NewFile], *, bucket: str, at: datetime) -> list[File]:
    """Records of paths that have none, by one statement. Raises QuotaReached, RunIsSigned: then none is made."""
    by_category = defaultdict(list)
    for new in news:
        by_category[new.category].append(new.relative_path)
    if FileCategory.RAW in by_category:
        refuse_signed(run)
    for category, paths in by_category.items():
        check_file_quota(run, paths, category=category)
    reserve_bytes(run, sum(new.size_bytes or 0 for new in news), at=at)
    files = [build_file(run, new, at=at) for new in news]
    for file, key in zip(files, next_ids(File, len(files)), strict=True):
        file.pk = key
        assign_storage_key(file, bucket=bucket)
    insert_rows(files)
    return files


def refuse_other_bytes(file: File, new: NewFile) -> None:
    """Raises OtherBytesStored where what is announced contradicts what is stored; what is not known does not."""
    announced = _announced(new)
    sums = ((announced.sha256, file.sha256), (announced.crc32, file.crc32))
    if announced.size_bytes != file.size_bytes or any(None not in pair and pair[0] != pair[1] for pair in sums):
        raise OtherBytesStored(file)


def _take_over(file: File, new: NewFile) -> bool:
    """What is said of a file that is not uploaded yet; whether it needs a key."""
    declare_upload(file, _announced(new))
    file.content_type = new.content_type or file.content_type
    file.file_created_at = new.file_created_at or file.file_created_at
    set_report_kind(file)
    return file.storage_key is None


def _announced(new: NewFile) -> UploadDeclaration:
    return UploadDeclaration(new.size_bytes or 0, new.sha256, new.crc32)
