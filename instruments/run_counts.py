"""How many runs instruments have, of the counts that stand beside them."""

from collections.abc import Sequence

from accounts.callers import Caller
from wire.queries.prepared import prepared_cursor

# The bound is that of Instrument.objects.visible_to.
SUM_OF_COUNTS = """
    SELECT COALESCE(sum(run_count), 0) FROM instruments_instrument
     WHERE (%(bound)s::text[] IS NULL OR id = ANY(%(bound)s)) AND (%(asked)s::text[] IS NULL OR id = ANY(%(asked)s))
"""


def sum_run_counts(instrument_ids: Sequence[str], *, by: Caller) -> int:
    """Of all that the caller may see; where some are named, of these."""
    bound = None if by.instrument_ids is None else list(by.instrument_ids)
    with prepared_cursor() as cursor:
        cursor.execute(SUM_OF_COUNTS, {"bound": bound, "asked": list(instrument_ids) or None})
        return int(cursor.fetchone()[0])
