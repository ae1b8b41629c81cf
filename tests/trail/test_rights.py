"""The service may add to the trail and read it. Nobody alters it: not by its role, nor by a slip of the owner's."""

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from accounts.trail.rows import find_trail_model, list_trail_models
from accounts.trail.seal_sql import LAST_ID_SQL, WRITERS_SQL
from operations.embedded.postgres import OWNER, SERVICE
from runs.models import Run
from tests.factories import make_run

TABLES = [trail._meta.db_table for trail in list_trail_models()]


def test_the_service_adds_and_reads(service):
    run = make_run()

    service.execute("UPDATE runs_run SET source = 'worker' WHERE id = %s", [run.pk])

    found = service.execute(
        "SELECT changes->'source'->>1, pgh_context->>'name' FROM runs_runtrail ORDER BY pgh_id DESC LIMIT 1"
    )
    assert found.fetchone() == ("worker", f"database role {SERVICE}")


def test_the_service_alters_no_table_of_the_trail(service):
    make_run()
    statements = [
        statement.format(table)
        for table in TABLES
        for statement in ("UPDATE {} SET pgh_label = 'x'", "DELETE FROM {}", "TRUNCATE {}", "DROP TABLE {}")
    ]

    refused = [statement for statement in statements if is_refused(service, statement)]

    assert refused == statements


def test_the_service_adds_seals_and_alters_none(service):
    make_run()
    statements = [
        "UPDATE accounts_traillink SET kind = 'x'",
        "DELETE FROM accounts_traillink",
        "TRUNCATE accounts_traillink",
        "ALTER TABLE accounts_traillink DISABLE TRIGGER USER",
    ]

    service.execute("INSERT INTO accounts_traillink (row_id, kind, previous, sha256) VALUES (1, 'run', '', '')")

    assert [statement for statement in statements if not is_refused(service, statement)] == []


def test_the_service_may_ask_what_its_sealer_asks(service):
    run = make_run()

    assert service.execute(LAST_ID_SQL).fetchone()[0] >= find_trail_model(Run).objects.get(pgh_obj=run).pgh_id
    assert service.execute(WRITERS_SQL, [TABLES]).fetchall() == []


def is_refused(service, statement):
    try:
        service.execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False


def test_the_service_cannot_silence_the_triggers(service):
    for statement in ("ALTER TABLE runs_run DISABLE TRIGGER USER", "SET session_replication_role = replica"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            service.execute(statement)


@pytest.mark.parametrize("statement", ["UPDATE runs_runtrail SET pgh_label = 'x'", "DELETE FROM runs_runtrail"])
def test_a_slip_of_the_owner_alters_nothing(db, statement):
    make_run()

    with pytest.raises(DatabaseError, match="append_only"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)

    assert connection.settings_dict["USER"] == OWNER
    assert find_trail_model(Run).objects.get().pgh_label == "insert"


def test_a_row_and_its_change_are_written_together_or_not_at_all(db):
    with transaction.atomic():
        make_run()
        transaction.set_rollback(True)

    assert not find_trail_model(Run).objects.exists()
