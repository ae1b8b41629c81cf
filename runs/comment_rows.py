"""Which comments are looked at."""

from typing import TYPE_CHECKING

from django.db import models

from accounts.callers import Caller

if TYPE_CHECKING:
    from runs.models import Comment  # noqa: F401  (the annotation below names it)


class CommentQuerySet(models.QuerySet["Comment"]):
    def visible_to(self, by: Caller) -> "CommentQuerySet":
        return self if by.instrument_ids is None else self.filter(run__instrument_id__in=by.instrument_ids)

    def active(self) -> "CommentQuerySet":
        return self.filter(deleted_at__isnull=True)
