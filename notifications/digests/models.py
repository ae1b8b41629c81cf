"""One mail a day for those who want no more."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from wire.clock import now


class Digest(models.Model):
    """The mail of one day to one person: what waited for it until seven in the morning of that day, where they are."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="digests", db_index=False)
    day = models.DateField()
    created_at = models.DateTimeField(default=now, editable=False)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    sent_at = models.DateTimeField(null=True)
    refused_at = models.DateTimeField(null=True)
    error_message = models.TextField(blank=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["id"], condition=Q(sent_at__isnull=True, refused_at__isnull=True), name="digests_waiting"
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["user", "day"], name="one_digest_per_person_and_day"),
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(refused_at__isnull=True), name="digest_ends_one_way"
            ),
        ]

    def __str__(self) -> str:
        return f"digest of {self.day}"
