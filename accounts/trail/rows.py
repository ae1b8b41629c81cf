"""The trail: an append-only row beside each change of what callers can change, written by the database itself.

`@audited(...)` above a model gives it a table of changes, by django-pghistory, in the model's own app. A row holds what
differs, {field: [before, after]}, not a copy: copies of rows would be as large as the data.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

import pghistory
import pgtrigger
from django.apps import apps
from django.db import connections, models
from django.db.models import Func, Value
from pghistory.core import RowEvent, create_event_model
from pghistory.models import Event

from accounts.trail import rows_sql as trail_sql
from accounts.trail.seal_models import TrailDetachment, TrailLink

Model = TypeVar("Model", bound=type[models.Model])
ALTERING_PRIVILEGES = ["UPDATE", "DELETE", "TRUNCATE"]
FIND_ALTERING_GRANTS_SQL = """
    SELECT DISTINCT relation.oid::regclass::text, COALESCE(NULLIF(acl.grantee, 0)::regrole::text, 'PUBLIC')
      FROM pg_class AS relation, aclexplode(relation.relacl) AS acl
     WHERE relation.oid IN (
               SELECT to_regclass(name) FROM unnest(%s::text[]) AS name  -- those there are yet
               UNION SELECT inhrelid FROM pg_inherits JOIN unnest(%s::text[]) AS name ON inhparent = to_regclass(name))
       AND acl.privilege_type = ANY (%s) AND acl.grantee <> relation.relowner
"""


@dataclass(frozen=True)
class AuditedColumns:
    """What the trail keeps of a model.

    `columns` are those that a caller can change, by their name on the wire; `also_recorded` are
    written when one of these changed, but not compared by themselves; of `secret` ones only that they changed;
    `objects` are compared key by key.
    `set_later` are those of `columns` that nothing has when it is made: told when they change, and only then.
    `parent` names the foreign key by which the changes are found: a run's, an instrument's; "" is the row itself.
    `by_month`: the table grows with the data, and lies in a partition a month (accounts.trail.months).
    """

    columns: tuple[str, ...]
    also_recorded: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    objects: dict[str, str] = field(default_factory=dict)
    set_later: tuple[str, ...] = ()
    parent: str = ""
    by_statement: bool = False
    by_month: bool = False

    @property
    def compared_columns(self) -> tuple[str, ...]:
        return (*self.columns, *self.secret, *self.objects)

    @property
    def recorded_columns(self) -> tuple[str, ...]:
        return (*self.compared_columns, *self.also_recorded)


class Trail(Event):
    """One change. All of these tables are alike and number their rows from one sequence, so that they read as one."""

    pgh_id = models.BigIntegerField(
        primary_key=True, db_default=Func(Value("public.accounts_trail_ids"), function="nextval")
    )
    pgh_created_at = models.DateTimeField()
    pgh_label = models.CharField(max_length=6)
    changes = models.JSONField()
    pgh_context = models.JSONField()
    audited: ClassVar[AuditedColumns]

    objects: ClassVar[models.Manager[Any]] = models.Manager()  # type: ignore[assignment]  # none that rewrites queries

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.pgh_label} of {self._meta.verbose_name} {self.pgh_id}"


class ChangeTrigger(pghistory.trigger.Event):
    """The trigger of one tracker: it writes what a statement changed, and by whom."""

    def get_func(self, model: Any) -> str:
        by_row = self.level is not pgtrigger.Statement
        return trail_sql.trigger_function_sql(self.event_model, label=str(self.label), row_by_row=by_row)


class ChangeTracker(RowEvent):
    """One of insert, update and delete."""

    def add_event_trigger(self, event_model: Any) -> None:
        changes = ChangeTrigger(
            event_model=event_model,
            label=self.label,
            name=self.trigger_name,
            row=self.row,
            operation=self.operation,
            condition=self.condition,
            level=self.level,
        )
        pgtrigger.register(changes)(event_model.pgh_tracked_model)


def audited(*columns: str, **details: Any) -> Callable[[Model], Model]:
    """A model decorator: changes of these columns leave a row in <Model>Trail. The rest is as in AuditedColumns."""
    what = AuditedColumns(columns, **details)

    def keep(model: Model) -> Model:
        create_event_model(
            model,
            *build_trackers(model, what),
            fields=[],
            obj_field=pghistory.ObjForeignKey(related_name="+", db_index=False),
            context_field=None,  # type: ignore[arg-type]  # as its documentation offers
            append_only=True,
            model_name=f"{model.__name__}Trail",
            base_model=Trail,
            attrs={"audited": what, **build_parent_column(model, what)},
            meta={
                "indexes": [
                    models.Index(
                        fields=[what.parent or "pgh_obj", "-pgh_id"], name=f"trail_of_{model._meta.model_name}"
                    )
                ],
                "verbose_name": f"{model._meta.verbose_name} change",
                "verbose_name_plural": f"{model._meta.verbose_name} changes",
            },
            abstract=False,
        )
        return model

    return keep


def build_trackers(model: type[models.Model], what: AuditedColumns) -> list[ChangeTracker]:
    """Updates row by row: counters and heartbeats do not even wake the trigger, and nothing has to be joined.

    Many rows that are made or taken away by one statement are written by one.
    """
    level = pgtrigger.Statement if what.by_statement else pgtrigger.Row
    fields: list[Any] = [model._meta.get_field(name) for name in what.compared_columns]
    columns = [field.column for field in fields]
    insert, update, delete = pgtrigger.Insert, pgtrigger.UpdateOf(*columns), pgtrigger.Delete
    differs = pgtrigger.AnyChange(*what.compared_columns)
    return [
        ChangeTracker("insert", operation=insert, row="NEW", trigger_name="trail_insert", level=level),
        ChangeTracker("update", operation=update, row="NEW", trigger_name="trail_update", condition=differs),
        ChangeTracker("delete", operation=delete, row="OLD", trigger_name="trail_delete", level=level),
    ]


def build_parent_column(model: type[models.Model], what: AuditedColumns) -> dict[str, models.ForeignKey[Any, Any]]:
    """The column by which changes of a part are found from its whole."""
    if not what.parent:
        return {}
    whole: Any = model._meta.get_field(what.parent).remote_field
    loose: dict[str, Any] = {"on_delete": models.DO_NOTHING, "db_constraint": False, "db_index": False}
    return {what.parent: models.ForeignKey(whole.model, related_name="+", **loose)}


def list_trail_models() -> list[type[Trail]]:
    """Every table of the trail, by the name of what it is of."""
    return sorted((one for one in apps.get_models() if issubclass(one, Trail)), key=lambda one: one.__name__)


def audited_kind(trail: Any) -> str:
    """What it is the trail of, as histories name it: run, file, user."""
    return str(trail.pgh_tracked_model._meta.model_name)


def find_trail_model(model: type[models.Model]) -> type[Trail]:
    found: Any = model
    trail: type[Trail] = found.pgh_event_model
    return trail


def make_append_only(*, using: str, **_: Any) -> None:
    """Take from everybody but the owner the right to alter the trail. Runs after each `migrate`."""
    kept = (TrailLink, TrailDetachment)
    tables = [*(model._meta.db_table for model in kept), *(trail._meta.db_table for trail in list_trail_models())]
    with connections[using].cursor() as cursor:
        cursor.execute(FIND_ALTERING_GRANTS_SQL, [tables, tables, ALTERING_PRIVILEGES])
        for table, role in cursor.fetchall():  # both come quoted as needed
            cursor.execute(f"REVOKE {', '.join(ALTERING_PRIVILEGES)} ON {table} FROM {role}")
