"""`./ids manage recount`: what was written past the triggers is found, told and corrected."""

import io
import json
from threading import Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from files.models import StoredChange
from files.stored.recount import find_drifted_runs, repair_counters
from instruments.models import Instrument
from runs.models import Run
from tests.factories import make_comment, make_file, make_run, make_stored_file

pytestmark = pytest.mark.django_db


def recount(*arguments):
    """Exit code, output."""
    output = io.StringIO()
    try:
        call_command("recount", *arguments, stdout=output)
    except CommandError as ended:
        return ended.returncode, output.getvalue()
    return 0, output.getvalue()


def make_drifted():
    """A run with one file of 9 bytes and a comment, of which it knows nothing, on an instrument that counts 7."""
    run = make_run(run_id="drifted")
    make_file(run=run, size_bytes=9)
    make_comment(run=run)
    Run.objects.filter(pk=run.pk).update(file_count=0, n_pending=0, total_size_bytes=1, comment_count=0)
    Instrument.objects.filter(pk=run.instrument_id).update(run_count=7)
    return run


def test_drift_is_told_and_corrected():
    run = make_drifted()
    make_run()

    code, output = recount()

    run.refresh_from_db()
    run.instrument.refresh_from_db()
    assert code == 0
    assert output.splitlines() == [
        f"run {run.instrument_id}/drifted: file_count 0 → 1, total_size_bytes 1 → 9, n_pending 0 → 1, "
        "comment_count 0 → 1",
        f"instrument {run.instrument_id}: run_count 7 → 1",
        "1 runs and 1 instruments corrected",
    ]
    assert (run.file_count, run.n_pending, run.total_size_bytes, run.comment_count) == (1, 1, 9, 1)
    assert run.instrument.run_count == 1


def test_a_dry_run_corrects_nothing_and_exits_3():
    run = make_drifted()

    code, output = recount("--dry-run", "--json")

    first, second, summary = map(json.loads, output.splitlines())
    run.refresh_from_db()
    assert (code, run.file_count) == (3, 0)
    assert first["columns"]["total_size_bytes"] == ["1", "9"]
    assert second == {"kind": "instrument", "name": run.instrument_id, "columns": {"run_count": ["7", "1"]}}
    assert summary == {"kind": "summary", "runs": 1, "instruments": 1, "stored": 0, "corrected": False}


def test_what_is_stored_is_told_and_corrected_range_by_range():
    make_stored_file(data=b"12345")
    StoredChange.objects.all().delete()

    assert recount("--dry-run")[0] == 3
    assert recount()[1].splitlines()[0] == "stored raw files 0 to 1048575: objects 0 → 1, bytes 0 → 5"
    assert recount("--dry-run")[0] == 0


def test_right_numbers_are_nothing_to_tell():
    make_file(status="processing")

    assert recount("--dry-run") == (0, "0 runs and 0 instruments differ\n")


def test_more_runs_than_one_batch_are_all_counted(monkeypatch):
    monkeypatch.setattr("files.stored.recount.RUNS_PER_BATCH", 2)
    runs = [make_run() for _ in range(5)]
    Run.objects.update(file_count=1, n_failed=1)

    assert recount()[1].endswith("5 runs and 0 instruments corrected\n")
    assert set(Run.objects.values_list("file_count", flat=True)) == {0}
    assert len(runs) == 5


@pytest.mark.django_db(transaction=True)
def test_a_repair_waits_for_who_writes_and_counts_that_too():
    run = make_drifted()
    [found] = find_drifted_runs()

    with transaction.atomic():
        make_file(run=run, size_bytes=5)
        repairing = Thread(target=lambda: (repair_counters(found), connection.close()))
        repairing.start()
        repairing.join(0.5)
        assert repairing.is_alive()
    repairing.join(30)

    run.refresh_from_db()
    assert (run.file_count, run.total_size_bytes) == (2, 14)
