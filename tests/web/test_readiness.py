"""/readyz, about migrations."""

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

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
