"""What people say about runs."""

from typing import Any

from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper

from accounts.callers import Caller
from accounts.models import Token, User
from accounts.trail.rows import audited
from runs import triggers
from wire.clock import now
from wire.columns import HasPairBehindOther, Searchable, exactly_one, has_length
from wire.ids import new_id


class CommentQuerySet(models.QuerySet["Comment"]):
    def visible_to(self, by: Caller) -> "CommentQuerySet":
        return self if by.instrument_ids is None else self.filter(run__instrument_id__in=by.instrument_ids)

    def active(self) -> "CommentQuerySet":
        return self.filter(deleted_at__isnull=True)


@audited("body", "deleted_at", parent="run", by_month=True)
class Comment(models.Model):
    """A remark in markdown, by a person or by a token under its own name."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey("runs.Run", on_delete=models.CASCADE, related_name="comments", db_index=False)
    user = models.ForeignKey(User, on_delete=models.PROTECT, null=True, blank=True, related_name="comments")
    token = models.ForeignKey(Token, on_delete=models.PROTECT, null=True, blank=True, related_name="comments")
    body = models.TextField()
    created_at = models.DateTimeField(default=now, editable=False)
    edited_at = models.DateTimeField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = CommentQuerySet.as_manager()

    class Meta:
        triggers = triggers.ON_COMMENTS
        indexes = [
            models.Index(
                fields=["run", "created_at", "id"], condition=Q(deleted_at__isnull=True), name="comments_of_run_by_age"
            ),
            GinIndex(OpClass(Upper(Searchable("body")), name="gin_trgm_ops"), name="comments_by_part_of_body"),
            models.Index(
                fields=["run"],
                condition=Q(HasPairBehindOther(Upper(Searchable("body"))), deleted_at__isnull=True),
                name="other_comments_of_run",
            ),
        ]
        constraints = [
            models.CheckConstraint(condition=exactly_one("user", "token"), name="comment_has_one_author"),
            models.CheckConstraint(condition=has_length("body", least=1, most=10_000), name="comment_body_length"),
        ]

    def __str__(self) -> str:
        return self.body[:60]

    @property
    def changeable_values(self) -> tuple[Any, ...]:
        """What its version for If-Match is made of."""
        return self.body, self.edited_at, self.deleted_at
