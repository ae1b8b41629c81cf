"""/readyz, about migrations."""

import subprocess
import sys

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from operations.embedded.programs import CHECKOUT
from web import health
from wire.migrations import SchemaWatch, list_known_migrations, list_pending_migrations


@pytest.fixture(autouse=True)
def unseen(monkeypatch):
    monkeypatch.setattr(health, "schema_watch", SchemaWatch())


@pytest.fixture
def recorder(db):
    return MigrationRecorder(connection)


def test_without_a_migration_nothing_is_sent_here_until_it_has_come(client, recorder):
    last = max(list_known_migrations())
    recorder.record_unapplied(*last)
    before = client.get("/readyz")
    pending = list_pending_migrations()
    recorder.record_applied(*last)

    assert (before.status_code, before["Retry-After"]) == (503, "5")
    assert before.json() == {"status": "unavailable", "database": True, "migrations": False}
    assert pending == [".".join(last)]
    assert client.get("/readyz").status_code == 200


def test_a_database_that_is_ahead_is_ready(client, recorder):
    recorder.record_applied("watchers", "9999_of_the_next_release")

    assert client.get("/readyz").status_code == 200


def test_what_was_seen_is_not_asked_again(client, recorder, django_assert_num_queries):
    client.get("/readyz")

    with django_assert_num_queries(1):
        client.get("/readyz")


def test_the_files_tell_what_django_would_load():
    assert list_known_migrations() == MigrationLoader(None, ignore_no_migrations=True).disk_migrations.keys()


def test_nobody_who_asks_loads_the_migrations():
    code = """
import sys
import config.celery, django
django.setup()
from wire.migrations import list_known_migrations
print(len(list_known_migrations()), [name for name in sys.modules if ".migrations.0" in name])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, capture_output=True, text=True, check=True)

    number, loaded = done.stdout.split(maxsplit=1)
    assert int(number) > 100
    assert loaded == "[]\n"
