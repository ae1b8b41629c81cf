"""What a migration may do while the service of the release before works on the same tables.

Expand in one release (new tables, columns that may be left out), contract in a later one, when nothing knows the old.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, RemoveIndexConcurrently
from django.db.migrations import Migration, operations
from django.db.migrations.operations.base import Operation
from django.db.models import CheckConstraint, UniqueConstraint

LANDED_FILE = Path(__file__).with_name("landed_migrations.txt")
REVIEWED = re.compile(r"^# online: \w", re.M)  # the line of a migration's file that says why it harms nobody

CONTRACTING = {
    operations.DeleteModel: "the release before still asks this table",
    operations.RemoveField: "the release before still names this column",
    operations.RenameField: "the release before knows the old name",
    operations.RenameModel: "the release before knows the old name",
    operations.AlterModelTable: "the release before knows the old name",
    operations.AlterField: "it may rewrite or lock the table, or refuse what the release before writes",
    operations.AlterUniqueTogether: "it reads the whole table under a lock",
    operations.RunPython: "how long it takes grows with the rows",
    operations.RunSQL: "what it locks cannot be seen",
}


def list_landed() -> set[str]:
    """Those from before there were rules, as `app.0001_name`."""
    return set(LANDED_FILE.read_text().split())


def find_faults(migration: Migration, *, source: str = "") -> list[str]:
    """Why it must not run beside the release before, one line each; nothing where its file says `# online: why`."""
    if REVIEWED.search(source):
        return []
    made: set[str] = set()
    return [
        f"{operation.describe()}: {reason}"
        for step in migration.operations
        for operation in _list_operations(step)
        for reason in _judge(operation, made, is_atomic=migration.atomic)
    ]


def _list_operations(step: Operation) -> list[Operation]:
    """Of those that are split into the database's and the models' part, what reaches the database."""
    return list(step.database_operations) if isinstance(step, operations.SeparateDatabaseAndState) else [step]


def _judge(operation: Operation, made: set[str], *, is_atomic: bool) -> Iterator[str]:
    """`made`: the tables of this migration itself, in which there is nothing yet."""
    if isinstance(operation, operations.CreateModel):
        made.add(operation.name_lower)
        return
    if getattr(operation, "model_name_lower", None) in made:
        return
    for kind, reason in CONTRACTING.items():
        if type(operation) is kind:
            yield reason
    if isinstance(operation, operations.AddField):
        yield from _judge_column(operation)
    if isinstance(operation, operations.AddConstraint):
        yield from _judge_constraint(operation)
    if isinstance(operation, operations.AddIndex) and not isinstance(operation, AddIndexConcurrently):
        yield "writing waits while it is built: AddIndexConcurrently, in a migration with atomic = False"
    if isinstance(operation, operations.RemoveIndex) and not isinstance(operation, RemoveIndexConcurrently):
        yield "everything waits for its lock: RemoveIndexConcurrently, in a migration with atomic = False"
    if isinstance(operation, AddIndexConcurrently | RemoveIndexConcurrently) and is_atomic:
        yield "it cannot be in a transaction: atomic = False"


def _judge_column(operation: operations.AddField) -> Iterator[str]:
    field = operation.field
    if field.many_to_many:
        return
    if not field.null and not field.has_db_default():
        yield "the release before leaves this column out: null=True or db_default"
    if field.unique or any(getattr(field, name, False) for name in ("db_index", "db_constraint")):
        yield "its index or key is built under a lock: the column first, then that concurrently or not valid"


def _judge_constraint(operation: operations.AddConstraint) -> Iterator[str]:
    if isinstance(operation, AddConstraintNotValid):
        return
    if isinstance(operation.constraint, CheckConstraint | UniqueConstraint):
        yield "it reads the whole table under a lock: AddConstraintNotValid, then ValidateConstraint"
