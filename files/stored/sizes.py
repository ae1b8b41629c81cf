"""How much is stored: a sum of what triggers note, corrected by counting files again, range by range of their ids.

Counting a hundred million files takes minutes; one range of a million takes a second or two, however many there are.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import connection, transaction
from django.db.models import Max, Sum

from files.models import File, StoredChange, StoredRange
from files.triggers import FILES_PER_RANGE

MAX_COUNT_SECONDS = 60  # the longest that counting one range may take
FOLD_CHANGES_SQL = """
    WITH folded AS (DELETE FROM files_storedchange RETURNING id_range, category, objects_count, size_bytes)
    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)
    SELECT id_range, category, sum(objects_count), sum(size_bytes) FROM folded GROUP BY id_range, category
    HAVING sum(objects_count) <> 0 OR sum(size_bytes) <> 0
"""
FIND_DRIFT_SQL = """
    SELECT category, COALESCE(kept.objects, 0)::bigint AS kept_objects, COALESCE(counted.objects, 0) AS objects,
           COALESCE(kept.bytes, 0)::bigint AS kept_bytes, COALESCE(counted.bytes, 0)::bigint AS bytes
      FROM (SELECT category, count(*) AS objects, sum(size_bytes) AS bytes FROM files_file
             WHERE id >= %(first)s AND id < %(end)s
               AND uploaded_at IS NOT NULL AND deleted_at IS NULL AND purged_at IS NULL
             GROUP BY category) AS counted
      FULL JOIN (SELECT category, sum(objects_count) AS objects, sum(size_bytes) AS bytes FROM files_storedchange
                  WHERE id_range = %(number)s GROUP BY category) AS kept USING (category)
     WHERE (COALESCE(kept.objects, 0), COALESCE(kept.bytes, 0))
           <> (COALESCE(counted.objects, 0), COALESCE(counted.bytes, 0))
"""
CORRECT_RANGE_SQL = f"""
    WITH drift AS ({FIND_DRIFT_SQL}), corrected AS (
        INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)
        SELECT %(number)s, category, objects - kept_objects, bytes - kept_bytes FROM drift
    )
    SELECT * FROM drift ORDER BY category
"""  # noqa: S608 (built of constants)
CLAIM_RANGE_SQL = """
    INSERT INTO files_storedrange AS range (number, counted_at) VALUES (%(number)s, %(at)s)
    ON CONFLICT (number) DO UPDATE SET counted_at = GREATEST(range.counted_at, excluded.counted_at)
"""


@dataclass(frozen=True)
class StoredDrift:
    """A range of ids of which the kept numbers of one category were not those of a recount."""

    number: int
    category: str
    kept_objects: int
    objects: int
    kept_bytes: int
    bytes: int

    def __str__(self) -> str:
        first = self.number * FILES_PER_RANGE
        return (
            f"stored {self.category} files {first} to {first + FILES_PER_RANGE - 1}: "
            f"objects {self.kept_objects} → {self.objects}, bytes {self.kept_bytes} → {self.bytes}"
        )


def read_kept_sizes() -> dict[str, tuple[int, int]] | None:
    """Objects and bytes by category, as they are kept; None while a range was never counted."""
    if list_ranges(uncounted=True):
        return None
    sums = StoredChange.objects.values_list("category").annotate(count=Sum("objects_count"), total=Sum("size_bytes"))
    return {category: (objects, size) for category, objects, size in sums.order_by() if objects or size}


def fold_changes() -> None:
    """One row a range and category again. Twins wait for each other, and the sum is the same at any moment."""
    with connection.cursor() as cursor:
        cursor.execute(FOLD_CHANGES_SQL)


def list_ranges(*, uncounted: bool = False) -> list[int]:
    """The ranges that hold files, those never counted first (or alone), then the one whose count is oldest."""
    last = File.objects.aggregate(last=Max("pk"))["last"]
    counted = dict(StoredRange.objects.order_by("counted_at", "number").values_list("number", "counted_at"))
    numbers = range(0 if last is None else last // FILES_PER_RANGE + 1)
    never = [number for number in numbers if number not in counted]
    return never if uncounted else [*never, *(number for number in counted if number in numbers)]


def correct_ranges(numbers: list[int], *, at: datetime, seconds: float) -> Iterator[StoredDrift]:
    """Count these again until the time is up, and correct what is kept; what was corrected."""
    ends = time.monotonic() + seconds
    for number in numbers:
        if time.monotonic() > ends:
            return
        yield from correct_range(number, at=at)


@transaction.atomic
def correct_range(number: int, *, at: datetime) -> list[StoredDrift]:
    """Files and what is kept of them are one moment's, so that writers neither wait nor are counted twice."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{MAX_COUNT_SECONDS}s'")
        cursor.execute(CLAIM_RANGE_SQL, {"number": number, "at": at})  # its lock: two corrections would both count
        cursor.execute(CORRECT_RANGE_SQL, _bounds_of(number))
        return [StoredDrift(number, *row) for row in cursor.fetchall()]


def find_drift(number: int) -> list[StoredDrift]:
    """What differs in a range; nothing is corrected."""
    with connection.cursor() as cursor:
        cursor.execute(FIND_DRIFT_SQL, _bounds_of(number))
        return [StoredDrift(number, *row) for row in cursor.fetchall()]


def _bounds_of(number: int) -> dict[str, int]:
    return {"number": number, "first": number * FILES_PER_RANGE, "end": (number + 1) * FILES_PER_RANGE}
