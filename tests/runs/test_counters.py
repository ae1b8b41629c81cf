"""What triggers keep equals a recount, whatever was written and however: the drift test."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from files.choices import FileStatus
from files.models import File
from files.naming import natural_key
from files.stored.recount import RecountResult, recount_all
from runs.models import Claim, Comment, Run
from tests.factories import make_comment, make_file, make_instrument, make_run, make_user

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
NOTHING = RecountResult(runs=0, instruments=0)


def in_status(status: str, at: datetime) -> dict[str, object]:
    """The columns of a file that go with a status."""
    is_stored = status not in ("detected", "upload_requested")
    return {
        "status": status,
        "upload_requested_at": at,
        "uploaded_at": at if is_stored else None,
        "processing_since": at if status == "processing" else None,
        "processed_at": at,
        "storage_bucket": "local",
        "storage_key": "key",
    }


def some(dice: random.Random, rows: list[Any]) -> list[Any]:
    return dice.sample(rows, k=min(len(rows), dice.randrange(6)))


def some_files(dice: random.Random):
    return File.objects.filter(id__in=some(dice, list(File.objects.values_list("id", flat=True))))


def some_runs(dice: random.Random):
    return Run.objects.filter(id__in=some(dice, list(Run.objects.values_list("id", flat=True))))


def add_files(dice: random.Random, at: datetime) -> None:
    runs, columns = list(Run.objects.all()), in_status(dice.choice(FileStatus.values), at)
    names = [f"{at:%H%M}-{number}.csv" for number in range(dice.randrange(1, 8))]
    File.objects.bulk_create(
        File(
            run=dice.choice(runs),
            filename=name,
            relative_path=name,
            natural_key=natural_key(name),
            category=dice.choice(["raw", "raw", "processed"]),
            size_bytes=dice.randrange(1000),
            **columns,
        )
        for name in names
    )


def move_files(dice: random.Random, at: datetime) -> None:
    some_files(dice).filter(deleted_at=None).update(**in_status(dice.choice(FileStatus.values), at))


def dismiss_files(dice: random.Random, at: datetime) -> None:
    some_files(dice).filter(uploaded_at=None).update(deleted_at=at)


def bring_files_back(dice: random.Random, at: datetime) -> None:
    some_files(dice).update(deleted_at=None)


def resize_files(dice: random.Random, at: datetime) -> None:
    some_files(dice).update(size_bytes=dice.randrange(1000))


def remove_files(dice: random.Random, at: datetime) -> None:
    some_files(dice).delete()


def hide_runs(dice: random.Random, at: datetime) -> None:
    some_runs(dice).update(deleted_at=at, deleted_by=make_user())


def bring_runs_back(dice: random.Random, at: datetime) -> None:
    some_runs(dice).update(deleted_at=None, deleted_by=None)


def claim_runs(dice: random.Random, at: datetime) -> None:
    Claim.objects.bulk_create(Claim(run=run, user=make_user()) for run in some_runs(dice))


def unclaim_runs(dice: random.Random, at: datetime) -> None:
    Claim.objects.filter(run__in=some_runs(dice)).delete()


def comment_runs(dice: random.Random, at: datetime) -> None:
    Comment.objects.bulk_create(Comment(run=run, body="Hm.", user=make_user()) for run in some_runs(dice))


def hide_comments(dice: random.Random, at: datetime) -> None:
    Comment.objects.filter(run__in=some_runs(dice)).update(deleted_at=dice.choice([None, at]))


ACTIONS: list[Callable[[random.Random, datetime], None]] = [
    add_files,
    add_files,
    move_files,
    move_files,
    dismiss_files,
    bring_files_back,
    resize_files,
    remove_files,
    hide_runs,
    bring_runs_back,
    claim_runs,
    unclaim_runs,
    comment_runs,
    hide_comments,
]


@pytest.mark.parametrize("seed", range(5))
def test_after_a_mixed_batch_a_recount_changes_nothing(seed):
    dice = random.Random(seed)
    homes = [make_instrument(), make_instrument()]
    Run.objects.bulk_create(Run(instrument=home, run_id=f"run-{number}") for home in homes for number in range(3))

    for minute in range(80):
        dice.choice(ACTIONS)(dice, NOON + timedelta(minutes=minute))

    assert File.objects.exists()
    assert recount_all() == NOTHING


def test_removing_runs_takes_them_out_of_their_instruments_count():
    run = make_run()
    make_comment(run=run)

    run.delete()

    run.instrument.refresh_from_db()
    assert run.instrument.run_count == 0


def test_one_insert_of_several_rows_of_one_run_is_counted_once_each():
    run = make_run()

    names = ["a.csv", "b.csv", "c.csv"]
    File.objects.bulk_create(
        File(run=run, filename=name, relative_path=name, natural_key=name, size_bytes=5) for name in names
    )

    run.refresh_from_db()
    assert (run.file_count, run.total_size_bytes, run.n_pending, run.status) == (3, 15, 3, "pending_upload")


def test_a_run_has_been_processing_since_its_oldest_processing_file():
    run = make_run()
    make_file(run=run, status="processing", processing_since=NOON + timedelta(minutes=5))
    oldest = make_file(run=run, status="processing", processing_since=NOON)
    run.refresh_from_db()
    assert run.processing_since == NOON

    File.objects.filter(pk=oldest.pk).update(status="completed", processing_since=None, processed_at=NOON)

    run.refresh_from_db()
    assert run.processing_since == NOON + timedelta(minutes=5)


def test_a_change_of_a_processed_file_is_a_change_of_its_run_but_is_not_counted():
    run = make_run(updated_at=NOON)

    make_file(run=run, category="processed")

    run.refresh_from_db()
    assert run.updated_at > NOON
    assert run.file_count == 0


def test_claims_and_comments_are_no_change_of_the_run():
    run = make_run(updated_at=NOON)

    make_comment(run=run)
    Claim.objects.create(run=run, user=make_user())

    run.refresh_from_db()
    assert (run.comment_count, run.claim_count, run.updated_at) == (1, 1, NOON)


@pytest.mark.parametrize("field", ["caller_metadata", "extracted"])
def test_new_metadata_is_a_change_of_the_run(field):
    run = make_run(updated_at=NOON)

    Run.objects.filter(pk=run.pk).update(**{field: {"a": 1}})

    run.refresh_from_db()
    assert run.updated_at > NOON
