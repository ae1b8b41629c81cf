"""What a transaction costs at its end grows with what it did, and not with its square."""

import pgtrigger
import pytest
from django.db import connection

from files.models import File
from files.naming import natural_key
from tests.factories import make_run
from wire.clock import now

pytestmark = pytest.mark.django_db


def store_files(run, number):
    names = [f"{run.run_id} {place}.csv" for place in range(number)]
    File.objects.bulk_create(
        File(
            run=run,
            filename=name,
            relative_path=name,
            natural_key=natural_key(name),
            status="uploaded",
            size_bytes=1,
            storage_bucket="local",
            storage_key="shared",
            uploaded_at=now(),
        )
        for name in names
    )


def test_no_trigger_catches_an_error_to_learn_that_it_is_not_set_aside():
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname = '_pgtrigger_should_ignore'")
        assert "EXCEPTION" not in cursor.fetchone()[0].upper()


def test_triggers_can_be_set_aside_as_before():
    run = make_run()
    with pgtrigger.ignore("files.File:count_new_files"):
        store_files(run, 2)
    run.refresh_from_db()
    assert run.file_count == 0

    other = make_run(run_id="other", instrument=run.instrument)
    store_files(other, 2)
    other.refresh_from_db()
    assert other.file_count == 2
