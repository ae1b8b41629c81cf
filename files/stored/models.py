"""What is stored, as it is kept while files come and go."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from wire.clock import now
from wire.columns import is_hex


class StoredChange(models.Model):
    """What one statement added to what is stored, or took away; the sum of all rows is what is stored.

    Rows are only added (`files.triggers`), so uploads never wait for each other's counter, and folded into one a range
    and category by and by (`files.stored.sizes`).
    """

    id_range = models.IntegerField()  # of the files' ids, FILES_PER_RANGE each
    category = models.CharField(max_length=9)
    objects_count = models.BigIntegerField()
    size_bytes = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.category} of range {self.id_range}: {self.objects_count:+} objects, {self.size_bytes:+} bytes"


class StoredRange(models.Model):
    """When the files of a range were counted last; before that its changes say too little."""

    number = models.IntegerField(primary_key=True)
    counted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"range {self.number}, counted at {self.counted_at:%Y-%m-%d %H:%M}"


class SharableObject(models.Model):
    """An object whose bytes have this SHA-256, as was seen by reading them; until then a job of doing so.

    It is there as long as its object may be named by further files: whoever names it, and whoever decides that the
    object goes, locks this row first (`files.shared.objects`).
    """

    file = models.ForeignKey("files.File", on_delete=models.CASCADE, related_name="sharable_objects")  # it came for
    storage_key = models.TextField()
    sha256 = models.CharField(max_length=64)
    size_bytes = models.BigIntegerField()
    instrument_ids = ArrayField(models.TextField(), null=True)  # what its sender may read; null is all
    verified_at = models.DateTimeField(null=True)
    requested_at = models.DateTimeField(default=now, editable=False)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    error_message = models.TextField(null=True, blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["sha256", "size_bytes"], name="sharable_objects_by_bytes"),
            models.Index(
                fields=["requested_at"], condition=Q(verified_at__isnull=True), name="sharable_objects_to_verify"
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["storage_key"], name="one_sharable_object_per_key"),
            models.CheckConstraint(condition=is_hex("sha256", digits=64), name="sharable_object_sha256_is_hex"),
        ]

    def __str__(self) -> str:
        return self.storage_key


class ObjectRemoval(models.Model):
    """An object that nothing names any more and that is to be removed; the row goes once the object is gone.

    It is written in the transaction that decides, so that a kill between deciding and removing loses nothing.
    """

    storage_key = models.TextField()
    size_bytes = models.BigIntegerField()
    decided_at = models.DateTimeField(default=now, editable=False)
    due_at = models.DateTimeField(null=True, editable=False)  # not before, where its bytes are elsewhere: URLs live on

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["storage_key"], name="one_removal_per_object"),
            models.CheckConstraint(condition=models.Q(size_bytes__gte=0), name="removal_frees_no_less_than_nothing"),
        ]

    def __str__(self) -> str:
        return self.storage_key
