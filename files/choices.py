"""The words that a file's columns may hold."""

from django.db import models


class FileCategory(models.TextChoices):
    RAW = "raw"  # the instrument's own
    PROCESSED = "processed"  # made from a raw file; never counted in the run


class StorageClass(models.TextChoices):
    """Where a file's bytes are: at hand, or in the cold store, from where they are brought back on request."""

    HOT = "hot"
    COLD = "cold"


class FileStatus(models.TextChoices):
    DETECTED = "detected"
    UPLOAD_REQUESTED = "upload_requested"
    UPLOADED = "uploaded"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


NOT_STORED_STATUSES = (FileStatus.DETECTED, FileStatus.UPLOAD_REQUESTED)


class ReportKind(models.TextChoices):
    NONE = ""  # nothing a report can show
    IMAGE = "image"
    PDF = "pdf"
    SPECTRUM = "spectrum"
