"""What archives announce, inside the transaction of the change."""

from django.dispatch import Signal

archive_ready = Signal()  # job: ArchiveJob, at: datetime
