"""P12 and P13: what the triggers cost. One client; commits wait for the disk as the database is set up to."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median

import psycopg

from config.bench.history import History
from config.bench.laboratory import Laboratory
from config.bench.measuring import WARM_UPS, Line, compared, ms, timed
from files.models import File, FileStatus
from wire.ids import new_id

BLOCKS, IN_A_BLOCK = 5, 20
MOVE = """
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


RECOUNT = """
    UPDATE instruments_instrument AS instrument
       SET run_count = (SELECT count(*) FROM runs_run WHERE instrument_id = instrument.id AND deleted_at IS NULL)
     WHERE id = %s
"""
Bare = psycopg.Connection[tuple[object, ...]]


def file_move(lab: Laboratory, history: History) -> Iterator[Line]:
    """A file of a usual run there and back between two statuses."""
    usual = File.objects.filter(status=FileStatus.COMPLETED).exclude(run=lab.largest_run).values_list("id", flat=True)
    move = MOVE.format(file=usual[0])
    with_triggers, without = _in_blocks(lab.bare, "files_file", lambda: lab.bare.execute(move))
    yield compared("P12", "one file move; without triggers", with_triggers, without, at_most=2.2)


def new_run(lab: Laboratory, history: History) -> Iterator[Line]:
    """A run of a usual instrument; all that were made are taken away again."""
    made: list[str] = []

    def add() -> None:
        made.append(str(new_id()))
        lab.bare.execute(ADD_RUN.format(id=made[-1], instrument=lab.usual_instrument))

    with_triggers, without = _in_blocks(lab.bare, "runs_run", add)
    with _without_triggers(lab.bare, "runs_run"):
        lab.bare.execute("DELETE FROM runs_run WHERE id = ANY (%s)", [made])
    lab.bare.execute(RECOUNT, [lab.usual_instrument])
    yield Line("P13", "one new run; without triggers", ms(with_triggers), ms(without), with_triggers / without)


def _in_blocks(bare: Bare, table: str, work: Callable[[], object]) -> tuple[float, float]:
    """The medians with the table's triggers and without, in blocks by turns."""
    with_triggers, without = [], []
    for _ in range(BLOCKS):
        with_triggers += _block(work)
        with _without_triggers(bare, table):
            without += _block(work)
    return median(with_triggers), median(without)


def _block(work: Callable[[], object]) -> list[float]:
    return [timed(work) for _ in range(WARM_UPS + IN_A_BLOCK)][WARM_UPS:]


@contextmanager
def _without_triggers(bare: Bare, table: str) -> Iterator[None]:
    bare.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    try:
        yield
    finally:
        bare.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")
