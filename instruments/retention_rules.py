"""The rules by which an instrument's bytes go after a time; each is the name of its field."""

from typing import Final

from django.db import models

MAX_RETENTION_DAYS = 100 * 366


class RetentionRule(models.TextChoices):
    """In the order in which they are asked: what two of them hold for goes by the first."""

    PURGE_DELETED = "purge_deleted_after_days", "soft-deleted runs"
    EXPIRE_RAW = "expire_raw_after_days", "raw files"
    EXPIRE_PROCESSED = "expire_processed_after_days", "processed files"
    EXPIRE_ARCHIVES = "expire_archives_after_days", "packed archives"


COLD_RULE: Final = "cold_raw_after_days"  # bytes that move, and are not purged
FILE_RULES = (RetentionRule.PURGE_DELETED, RetentionRule.EXPIRE_RAW, RetentionRule.EXPIRE_PROCESSED)
