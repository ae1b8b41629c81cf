"""New migrations run beside the service; tests/migration_rules.py says what they may do, and judges."""

import inspect

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.db import models
from django.db.migrations import Migration
from django.db.migrations import operations as ops
from django.db.migrations.loader import MigrationLoader

from tests.migration_rules import find_faults, list_landed

OURS = {
    *("accounts", "archives", "changes", "datasets", "feedback", "files", "instruments", "notifications"),
    *("overview", "processing", "runs", "watchers", "wire", "mcp_server", "operations"),
}


def our_migrations():
    found = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return {f"{app}.{name}": one for (app, name), one in found.items() if app in OURS}


def test_new_migrations_run_beside_the_release_before():
    landed = list_landed()
    new = {name: one for name, one in our_migrations().items() if name not in landed}

    faults = {
        name: find_faults(one, source=inspect.getsource(inspect.getmodule(type(one)))) for name, one in new.items()
    }

    assert {name: found for name, found in faults.items() if found} == {}


def test_what_is_exempt_is_there():
    assert list_landed() <= our_migrations().keys()


def judged(*operations, atomic=True, source=""):
    migration = Migration("new", "runs")
    migration.operations, migration.atomic = list(operations), atomic
    return find_faults(migration, source=source)


INDEX = models.Index(fields=["a"], name="by_a")
CHECK = models.CheckConstraint(condition=models.Q(a__gt=0), name="a_is_positive")


@pytest.mark.parametrize(
    "operation",
    [
        ops.AddField("run", "a", models.TextField()),
        ops.AddField("run", "a", models.TextField(default="")),
        ops.AddField("run", "a", models.TextField(null=True, unique=True)),
        ops.AddField("run", "a", models.ForeignKey("runs.Run", models.CASCADE, null=True)),
        ops.RemoveField("run", "a"),
        ops.RenameField("run", "a", "b"),
        ops.AlterField("run", "a", models.TextField()),
        ops.DeleteModel("run"),
        ops.AddIndex("run", INDEX),
        ops.RemoveIndex("run", "by_a"),
        ops.AddConstraint("run", CHECK),
        AddIndexConcurrently("run", INDEX),
        ops.RunSQL("UPDATE runs_run SET a = 1"),
        ops.SeparateDatabaseAndState(database_operations=[ops.RunSQL("DROP TABLE runs_run")]),
    ],
    ids=[
        *("no default", "a default of the code alone", "a unique column", "a key"),
        *("column away", "column renamed", "column changed", "table away"),
        *("index", "index away", "check", "concurrently in a transaction", "sql", "sql apart"),
    ],
)
def test_what_would_stop_the_release_before_is_found(operation):
    assert len(judged(operation)) == 1


@pytest.mark.parametrize(
    "operation",
    [
        ops.AddField("run", "a", models.TextField(null=True)),
        ops.AddField("run", "a", models.TextField(db_default="")),
        AddConstraintNotValid("run", CHECK),
        ops.CreateModel("Plate", [("id", models.BigAutoField(primary_key=True))]),
    ],
    ids=["may be null", "a default of the database", "a check of new rows", "table"],
)
def test_what_the_release_before_does_not_notice_is_allowed(operation):
    assert judged(operation) == []


def test_indexes_are_built_beside_the_service_outside_of_a_transaction():
    assert judged(AddIndexConcurrently("run", INDEX), atomic=False) == []


def test_a_new_table_may_be_changed_as_it_is_made():
    assert (
        judged(ops.CreateModel("Run", [("id", models.BigAutoField(primary_key=True))]), ops.AddIndex("run", INDEX))
        == []
    )


def test_what_was_thought_through_says_so_in_its_file():
    assert judged(ops.RunSQL("SELECT 1"), source="# online: a function of its own, in no table's way\n") == []
