"""P12 and P13: what the triggers cost. One client; commits wait for the disk as the database is set up to."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median

import psycopg

from files.choices import FileStatus
from files.models import File
from operations.bench.history import History
from operations.bench.laboratory import Laboratory
from operations.bench.measuring import WARM_UPS, ResultLine, build_ratio_line, format_milliseconds, measure_once
from operations.bench.processor_time import measure_processor_time
from wire.ids import new_id

BLOCK_COUNT, ROUNDS_PER_BLOCK = 5, 20
ROUNDS_OF_PROCESSOR = 1_000
MOVE_FILE = """
    UPDATE files_file SET status = CASE status WHEN 'completed' THEN 'processing' ELSE 'completed' END,
           processing_since = CASE status WHEN 'completed' THEN now() END
     WHERE id = {file}
"""
ADD_RUN = """
    INSERT INTO runs_run (id, instrument_id, run_id, source, own, extracted, created_at, updated_at, file_count,
                          total_size_bytes, n_failed, n_pending, n_uploaded, n_processing, n_completed, comment_count,
                          claim_count)
    VALUES ('{id}', '{instrument}', '{id}', 'script', '{{"operator": "ada", "plates": ["P-1", "P-2"]}}', '{{}}', now(),
            now(), 0, 0, 0, 0, 0, 0, 0, 0, 0)
"""
ADD_RUN_OF_VALUES = """
    INSERT INTO runs_run (id, instrument_id, run_id, source, own, extracted, created_at, updated_at, file_count,
                          total_size_bytes, n_failed, n_pending, n_uploaded, n_processing, n_completed, comment_count,
                          claim_count)
    SELECT id, %s, id, 'script', %s, '{}', now(), now(), 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM gen_random_uuid() AS id
"""
RECOUNT_RUNS = """
    UPDATE instruments_instrument AS instrument
       SET run_count = (SELECT count(*) FROM runs_run WHERE instrument_id = instrument.id AND deleted_at IS NULL)
     WHERE id = %s
"""
RawConnection = psycopg.Connection[tuple[object, ...]]


def measure_file_move(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """A file of a usual run there and back between two statuses."""
    usual = File.objects.filter(status=FileStatus.COMPLETED).exclude(run=lab.largest_run).values_list("id", flat=True)
    move = MOVE_FILE.format(file=usual[0])
    with_triggers, without = _compare_in_blocks(
        lab.raw_connection, "files_file", lambda: lab.raw_connection.execute(move)
    )
    yield build_ratio_line("P12", "one file move; without triggers", with_triggers, without, at_most=2.2)


def measure_new_run(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """A run of a usual instrument; all that were made are taken away again."""
    made: list[str] = []

    def add() -> None:
        made.append(str(new_id()))
        lab.raw_connection.execute(ADD_RUN.format(id=made[-1], instrument=lab.usual_instrument))

    with_triggers, without = _compare_in_blocks(lab.raw_connection, "runs_run", add)
    with _without_triggers(lab.raw_connection, "runs_run"):
        lab.raw_connection.execute("DELETE FROM runs_run WHERE id = ANY (%s)", [made])
    lab.raw_connection.execute(RECOUNT_RUNS, [lab.usual_instrument])
    yield ResultLine(
        "P13",
        "one new run; without triggers",
        format_milliseconds(with_triggers),
        format_milliseconds(without),
        with_triggers / without,
    )


def measure_values_of_new_run(lab: Laboratory, history: History) -> Iterator[ResultLine]:
    """A run with ten values, and one without any: with the index of values and without, in transactions undone.

    Processor time of the database.
    """
    ten = {"operator": "ada", "plates": ["P-1", "P-2"], "sample": "LYS-7", "measured_on": "2026-11-25", "blank": True}
    ten |= {f"reading_{place}": place / 7 for place in range(5)}
    for what, metadata in {"ten values": ten, "none": {}}.items():
        added = [ADD_RUN_OF_VALUES, [lab.usual_instrument, json.dumps(metadata)]]
        times: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(BLOCK_COUNT):
            for is_there, of_block in times.items():
                with lab.raw_connection.transaction(force_rollback=True):
                    if not is_there:
                        lab.raw_connection.execute("DROP INDEX runs_by_metadata_value")
                    work = partial(lab.raw_connection.execute, *added)
                    of_block.append(measure_processor_time(work, rounds=ROUNDS_OF_PROCESSOR).database)
        yield build_ratio_line(
            "P13", f"one new run, {what}; without their index", median(times[True]), median(times[False]), at_most=1.1
        )


def _compare_in_blocks(bare: RawConnection, table: str, work: Callable[[], object]) -> tuple[float, float]:
    """The medians with the table's triggers and without, in blocks by turns."""
    with_triggers, without = [], []
    for _ in range(BLOCK_COUNT):
        with_triggers += _time_block(work)
        with _without_triggers(bare, table):
            without += _time_block(work)
    return median(with_triggers), median(without)


def _time_block(work: Callable[[], object]) -> list[float]:
    return [measure_once(work) for _ in range(WARM_UPS + ROUNDS_PER_BLOCK)][WARM_UPS:]


@contextmanager
def _without_triggers(bare: RawConnection, table: str) -> Iterator[None]:
    bare.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    try:
        yield
    finally:
        bare.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
