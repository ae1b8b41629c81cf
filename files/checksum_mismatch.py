"""A SHA-256 sent by a client that is not that of the stored bytes."""

from datetime import datetime

from django.db import transaction

from files.choices import FileStatus
from files.models import File
from files.signals import file_failed


@transaction.atomic
def fail_mismatched_file(file_id: int, *, found_sha256: str, at: datetime) -> None:
    """The SHA-256 sent is not that of the stored bytes: the file fails and names both, wherever it stood."""
    file = File.objects.select_related("run").select_for_update(of=("run",), no_key=True).filter(pk=file_id).first()
    if file is None or file.uploaded_at is None:
        return
    reason = f"The SHA-256 sent is {file.sha256}, the stored bytes have {found_sha256}."
    if (file.status, file.error_message) == (FileStatus.FAILED, reason):
        return
    File.objects.filter(pk=file.pk).update(
        status=FileStatus.FAILED, error_message=reason, processing_since=None, processed_at=at
    )
    file.refresh_from_db()
    file_failed.send(sender=File, file=file, at=at)
