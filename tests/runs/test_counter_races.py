"""Many writers of the same runs at once: nobody deadlocks, nothing is counted twice or lost."""

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from files.models import File
from files.stored.recount import RecountResult, recount_all
from runs.models import Claim, Comment, Run
from tests.factories import make_instrument, make_run, make_user

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 12


def all_at_once(write: Callable[[int], object]) -> None:
    start = threading.Barrier(WRITERS)

    def work(number: int) -> None:
        start.wait()
        write(number)
        connection.close()

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(work, range(WRITERS)))


def test_batches_of_files_across_runs():
    runs = [make_run() for _ in range(6)]

    def write(number: int) -> None:
        shuffled = random.Random(number).sample(runs, k=len(runs))
        names = [(run, f"{number}-{place}.csv") for place, run in enumerate(shuffled)]
        File.objects.bulk_create(
            File(run=run, filename=name, relative_path=name, natural_key=name, size_bytes=1) for run, name in names
        )

    all_at_once(write)

    assert {run.file_count for run in Run.objects.all()} == {WRITERS}
    assert recount_all() == RecountResult(runs=0, instruments=0)


def test_runs_claims_and_comments_of_one_instrument():
    home, person = make_instrument(), make_user()

    def write(number: int) -> None:
        run = Run.objects.create(instrument=home, run_id=str(number))
        Claim.objects.create(run=run, user=person)
        Comment.objects.bulk_create(Comment(run=run, user=person, body="Hm.") for _ in range(3))

    all_at_once(write)

    home.refresh_from_db()
    assert home.run_count == WRITERS
    assert recount_all() == RecountResult(runs=0, instruments=0)
