"""What the files app announces. Sent inside the transaction; receivers only write rows of their own app."""

from django.dispatch import Signal

files_uploaded = Signal()
"""The store has confirmed the bytes of files. Sends files: Sequence[File], at: datetime; the runs are locked."""

recall_ended = Signal()
"""Cold files are back, or could not be brought back. Sends recall: Recall, waiting: int, at: datetime."""

file_completed = Signal()
"""A file was read, or a script says so. Sends file: File, at: datetime; the run's row is locked."""

file_failed = Signal()
"""Processing of a file failed, or its bytes are not what was said. Sends file: File, at: datetime."""

integrity_finding = Signal()
"""Stored bytes were found missing or damaged for the first time. Sends finding: IntegrityFinding, at: datetime."""
