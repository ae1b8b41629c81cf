"""What is stored, as it is kept while files come and go."""

from django.db import models

from wire.clock import now


class StoredChange(models.Model):
    """What one statement added to what is stored, or took away; the sum of all rows is what is stored.

    Rows are only added (`files.triggers`), so uploads never wait for each other's counter, and folded into one a range
    and category by and by (`files.stored_sizes`).
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


class ObjectRemoval(models.Model):
    """An object that nothing names any more and that is to be removed; the row goes once the object is gone.

    It is written in the transaction that decides, so that a kill between deciding and removing loses nothing.
    """

    storage_key = models.TextField()
    size_bytes = models.BigIntegerField()
    decided_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["storage_key"], name="one_removal_per_object"),
            models.CheckConstraint(condition=models.Q(size_bytes__gte=0), name="removal_frees_no_less_than_nothing"),
        ]

    def __str__(self) -> str:
        return self.storage_key
