"""P18 to P21: what grows with all files and all watchers, and is therefore done by ranges and days (docs/scale.md).

Processor time, of the command and of PostgreSQL, but where something holds others up.
"""

from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice

from django.db import connection

from files.models import File
from files.stored.inventory import find_referencing_files, list_referenced_files
from files.stored.sizes import correct_range, fold_changes, list_ranges, read_kept_sizes
from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import ResultLine, build_limit_line, measure_once
from operations.bench.processor_time import ProcessorTime, measure_processor_time
from watchers.choices import OFFLINE_AFTER
from wire.clock import now

SHORT_ROUNDS = 50
MAX_KEYS, KEYS_PER_BATCH = 1_000_000, 500
WATCHERS, MINUTES = 2_000, 1_440
THINNED_DAY = datetime(2001, 1, 1, tzinfo=UTC)
SUM_FILES = """
    SELECT category, count(*), sum(size_bytes) FROM files_file
     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL GROUP BY category
"""
ADD_DAY_OF_WATCHERS = """
    INSERT INTO watchers_heartbeat (received_at, watcher_id, status, queue_depth, agent_version)
    SELECT timestamptz '2001-01-01 00:00+00' + minute * interval '1 minute' + watcher * interval '29 milliseconds',
           md5(watcher::text)::uuid, 'watching', watcher %% 9, '1.0.0'
      FROM generate_series(0, %s) AS minute, generate_series(1, %s) AS watcher
"""
THIN_DAY = "SELECT public.thin_heartbeat_day(%s, %s)"


def measure_stored_sizes(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """What is stored, as it is kept and as a sum of all files; then what one range costs."""
    ranges = list_ranges()
    for number in ranges:
        correct_range(number, at=now())
    fold_changes()
    kept = measure_processor_time(read_kept_sizes, rounds=SHORT_ROUNDS)
    summed = measure_processor_time(lambda: lab.run_sql(SUM_FILES))
    yield _build_line("P18", "what is stored, as it is kept", kept)
    yield _build_line("P18", f"a sum of all {File.objects.count():,} files", summed)
    one = measure_processor_time(lambda: correct_range(ranges[0], at=now()))
    yield _build_line("P18", "one range of files counted again", one)


def measure_keys(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """Keys in their order, as a backup reads them; and the look of the sweep at a batch of the store's."""
    listed = measure_processor_time(lambda: deque(islice(list_referenced_files(), MAX_KEYS), maxlen=0))
    yield _build_line("P19", f"{MAX_KEYS:,} keys at most, listed by ranges of runs", listed)
    ids = File.objects.order_by("pk").values_list("pk", flat=True)[:KEYS_PER_BATCH]
    batch = [f"runs/{number}/{file}/nonce/a.csv" for number, file in enumerate(ids)]
    look = measure_processor_time(lambda: find_referencing_files(batch), rounds=SHORT_ROUNDS)
    yield _build_line("P20", f"{KEYS_PER_BATCH} keys of the store looked up by the sweep", look)


def measure_thinning(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """A past day of 2,000 watchers, a heartbeat a minute each: thinned beside the table, then put in its place."""
    lab.raw_connection.execute("SELECT public.add_heartbeat_days('2001-01-01', 1)")
    lab.raw_connection.execute(ADD_DAY_OF_WATCHERS, [MINUTES - 1, WATCHERS])
    before = _size_of_day()
    values = [THINNED_DAY.date(), OFFLINE_AFTER]
    thinned = measure_processor_time(lambda: lab.raw_connection.execute(THIN_DAY, values))
    swapped = measure_once(lambda: lab.raw_connection.execute(THIN_DAY, values))
    after = _size_of_day()
    lab.raw_connection.execute("SELECT public.drop_heartbeat_days(%s)", [(THINNED_DAY + timedelta(days=1)).date()])
    yield _build_line("P21", f"a day of {WATCHERS * MINUTES:,} heartbeats thinned", thinned)
    yield build_limit_line("P21", "the thinned day put in its place", swapped, at_most=2_000)
    yield ResultLine(
        "P21", "room of that day before and after", f"{before / 2**20:,.0f} MiB", f"{after / 2**20:,.1f} MiB"
    )


def _size_of_day() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_total_relation_size('public.watchers_heartbeat_20010101')")
        return int(cursor.fetchone()[0])


def _build_line(name: str, what: str, spent: ProcessorTime) -> ResultLine:
    return ResultLine(name, f"{what}: own; database", f"{spent.own:.1f} ms", f"{spent.database:.1f} ms")
