"""Whom a comment has named, so that nobody hears of it twice."""

from django.db import models

from accounts.models import User
from wire.clock import now


class Mention(models.Model):
    """A comment named a person once. The row stays when an edit takes the name out again."""

    comment = models.ForeignKey("runs.Comment", on_delete=models.CASCADE, related_name="mentions", db_index=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comment", "user"], name="one_mention_per_comment_and_person")]

    def __str__(self) -> str:
        return f"{self.comment_id} names {self.user_id}"
