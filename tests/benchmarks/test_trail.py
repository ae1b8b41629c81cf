"""A million rows of the trail: sealed, verified, and one bit of them found."""

import os
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest
from django.db import connection

from accounts.models import TrailChain
from accounts.trail.rows import find_trail_model
from accounts.trail.sealing import seal_trail
from accounts.trail.verification import find_extent, verify_rows
from runs.models import Run
from tests.factories import make_run
from tests.trail.altering import flip_one_bit

pytestmark = [pytest.mark.benchmark, pytest.mark.django_db]
ROWS, MAX_SECONDS = int(os.environ.get("TRAIL_ROWS", "1_000_000")), 60
RunTrail = find_trail_model(Run)
# Changes of files over ten days, each as large as real ones are.
FILL_SQL = """
    INSERT INTO {table} (pgh_created_at, pgh_label, pgh_obj_id, run_id, changes, pgh_context)
    SELECT '2026-01-01T00:00Z'::timestamptz + number * interval '860 ms', 'update', number, %s,
           jsonb_build_object('status', jsonb_build_array('uploaded', 'processing'),
                              'sha256', jsonb_build_array(NULL, encode(sha256(number::text::bytea), 'hex')),
                              'size_bytes', jsonb_build_array(NULL, number)),
           jsonb_build_object('id', gen_random_uuid(), 'kind', 'token', 'name', 'Plate reader 7',
                              'request_id', gen_random_uuid(), 'reason', NULL)
      FROM generate_series(1, %s) AS number
"""


def test_a_million_rows_are_verified_in_a_minute(capsys):
    run = make_run()
    fill(run)

    sealing = timed(lambda: seal_trail(seconds=3600))
    whole = timed(lambda: verify())
    one_day = timed(lambda: verify(since=TrailChain.objects.order_by("-day").first().day))

    altered = RunTrail.objects.get(pgh_obj_id=run.pk).pgh_id
    flip_one_bit(altered)
    found = verify(expected=1)
    with capsys.disabled():
        print(f"\n{ROWS:,} rows: sealed in {sealing}, verified in {whole}, the last day in {one_day}")
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    assert (found[0].kind, found[0].row_id) == ("run", altered)
    assert whole.seconds < MAX_SECONDS


def fill(run):
    with connection.cursor() as cursor:
        cursor.execute(FILL_SQL.format(table="files_filetrail"), [run.pk, ROWS])
        cursor.execute("ANALYZE files_filetrail")


def verify(*, since: date | None = None, expected: int = 0):
    found = list(verify_rows(find_extent(since=since)))
    assert len(found) == expected
    return found


@dataclass(frozen=True)
class Taken:
    """Seconds by the clock, and of the processors: on a machine that others load, the latter tell what it costs."""

    seconds: float
    own: float
    database: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} s (processor: {self.own:.1f} s here, {self.database:.1f} s in the database)"


def timed(act) -> Taken:
    began, own, database = time.monotonic(), time.process_time(), processor_seconds_of_database()
    act()
    database = processor_seconds_of_database() - database
    return Taken(time.monotonic() - began, time.process_time() - own, database)


def processor_seconds_of_database() -> float:
    """Of the process behind the connection, and of those that the server has ended: parallel workers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = read_stat(cursor.fetchone()[0])
    server = read_stat(backend[1])
    return float(sum(backend[11:13]) + sum(server[13:15])) / os.sysconf("SC_CLK_TCK")


def read_stat(pid: int) -> list[int]:
    """The fields of /proc behind the name of the program: its parent is the second, times are 12 to 15."""
    return [0, *map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1:])]
