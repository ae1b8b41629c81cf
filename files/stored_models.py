"""What is stored, as it is kept while files come and go."""

from django.db import models


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
