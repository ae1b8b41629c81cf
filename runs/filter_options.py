"""Which metadata keys and values the active runs of an instrument have, for the filters of the run list."""

from collections.abc import Mapping

from django.core.cache import cache
from django.db import connection

from accounts.callers import Caller
from instruments.catalogue import find_instrument

MAX_KEYS_PER_INSTRUMENT, MAX_VALUES_PER_KEY = 50, 200
CACHE_SECONDS = 60
# Long values stand in `terms` as hashes behind `#`; they are no options, and neither is a key that has nothing else.
COUNT_TERMS_SQL = """
    WITH counted AS (
        SELECT split_part(term, '=', 1) AS key, substr(term, strpos(term, '=') + 1) AS value, count(*) AS runs
          FROM runs_run, unnest(terms) AS term
         WHERE instrument_id = %(instrument)s AND deleted_at IS NULL AND term ~ '^[A-Za-z0-9_.-]+='
         GROUP BY term
    ), ranked AS (
        SELECT key, value, runs, sum(runs) OVER (PARTITION BY key) AS runs_of_key,
               row_number() OVER (PARTITION BY key ORDER BY runs DESC, value) AS place
          FROM counted
    ), placed AS (
        SELECT *, dense_rank() OVER (ORDER BY runs_of_key DESC, key) AS place_of_key FROM ranked
    )
    SELECT key, value, runs FROM placed
     WHERE place_of_key <= %(keys)s AND place <= %(values)s
     ORDER BY place_of_key, place
"""

Options = Mapping[str, list[dict[str, str | int]]]


def list_filter_options(instrument_id: str, *, by: Caller) -> Options:
    """{key: [{value, run_count}]}, the most frequent first; up to a minute old."""
    find_instrument(instrument_id, by=by)
    name = f"filter-options:{instrument_id}"
    options: Options | None = cache.get(name)
    if options is None:
        options = count_filter_options(instrument_id)
        cache.set(name, options, CACHE_SECONDS)
    return options


def count_filter_options(instrument_id: str) -> Options:
    """The same, counted now."""
    with connection.cursor() as cursor:
        cursor.execute(
            COUNT_TERMS_SQL,
            {"instrument": instrument_id, "keys": MAX_KEYS_PER_INSTRUMENT, "values": MAX_VALUES_PER_KEY},
        )
        found = cursor.fetchall()
    options: dict[str, list[dict[str, str | int]]] = {}
    for key, value, runs in found:
        options.setdefault(key, []).append({"value": value, "run_count": runs})
    return options
