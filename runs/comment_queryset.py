"""Which comments are looked at."""

from typing import Any

from django.db import models

from accounts.callers import Caller


class CommentQuerySet(models.QuerySet[Any]):
    def visible_to(self, by: Caller) -> "CommentQuerySet":
        return self if by.instrument_ids is None else self.filter(run__instrument_id__in=by.instrument_ids)

    def active(self) -> "CommentQuerySet":
        return self.filter(deleted_at__isnull=True)
