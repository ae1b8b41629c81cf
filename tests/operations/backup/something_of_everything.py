"""A service that has something in every table, and what its database says in all."""

import re
from datetime import UTC, date, datetime
from typing import Any

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import connection, models, transaction

from accounts.callers import caller_for_user
from accounts.models import User
from accounts.sign_in.invitations import invite
from accounts.trail.sealing import seal_trail
from files.models import File, Recall, UploadPart
from tests.factories import make_installer, make_share_link, make_token
from tests.group_lab import OURS
from tests.group_worlds import People, plant
from tests.mcp_server.oauth_flow import access_token
from tests.operations.leaving.test_there_and_back import make_everything
from tests.passkeys import SoftPasskey
from wire.clock import now
from wire.ids import new_id

PLAIN_VALUES: list[tuple[type[Any], Any]] = [
    (models.DateTimeField, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
    (models.DateField, date(2026, 1, 2)),
    (models.BooleanField, False),
    (models.IntegerField, 1),
    (models.JSONField, {}),
    (models.BinaryField, b"\1" * 32),
    (ArrayField, ["x"]),
    (models.Field, "x"),
]
DESCRIPTIONS = {  # of what a table is beside its rows
    "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default, collation_name, is_generated"
    " FROM information_schema.columns WHERE table_schema = 'public'",
    "constraints": "SELECT conrelid::regclass::text, conname, convalidated, pg_get_constraintdef(oid)"
    " FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
    "indexes": "SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public'",
    "triggers": "SELECT tgrelid::regclass::text, tgname, tgenabled, pg_get_triggerdef(oid) FROM pg_trigger"
    " WHERE NOT tgisinternal",
    "functions": "SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
    " AND prokind = 'f' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = pg_proc.oid AND deptype = 'e')",
    "sequences": "SELECT sequencename, last_value, increment_by FROM pg_sequences WHERE schemaname = 'public'",
    "rights": "SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    " AND relkind IN ('r', 'p', 'S')",
}
CASTS = re.compile(
    r"::(character varying|text)(\[\])?|[()\[\]]"
)  # which PostgreSQL writes otherwise when it reads them again
TABLES_SQL = """
    SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition ORDER BY 1
"""


def fill_every_table(people: People) -> None:
    make_everything()
    with transaction.atomic():
        plant(OURS, members=[people.member], managers=[people.manager], people=people)
    SoftPasskey(people.member)
    make_installer()
    make_share_link(made_by_token=make_token())
    invite(email="new@lab.example", by=caller_for_user(people.admin), at=now())
    access_token(people.member)
    _make_waiting(people.member)
    seal_trail()
    models_ = [one for one in apps.get_models(include_auto_created=True) if one._meta.managed and not one._meta.proxy]
    for model in sorted(models_, key=lambda one: bool(one._meta.auto_created)):  # those that join two last
        if not model._default_manager.exists():
            _make_row(model)
    seal_trail()


def _make_waiting(member: User) -> None:
    file = File.objects.cold().get()
    Recall.objects.create(run=file.run, requested_by=member)
    UploadPart.objects.create(file=file, upload_id="u", part_number=1, crc32="0" * 8)


def _make_row(model: type[models.Model]) -> None:
    """Of what a worker or a library notes for itself."""
    needed = [
        field
        for field in model._meta.concrete_fields
        if not (field.null or field.has_default() or field.has_db_default() or isinstance(field, models.AutoField))
    ]
    with transaction.atomic():
        model._default_manager.create(**{field.attname: _choose_value(field) for field in needed})


def _choose_value(field: Any) -> Any:
    if field.is_relation:
        return field.related_model._default_manager.values_list(field.target_field.attname, flat=True).first()
    if field.choices:
        return field.choices[0][0]
    if field.empty_strings_allowed and field.blank:
        return ""
    if isinstance(field, models.UUIDField):
        return new_id()
    return next(value for kind, value in PLAIN_VALUES if isinstance(field, kind))


def read_database() -> dict[str, list[str]]:
    """All rows of each table, and what the tables are."""
    with connection.cursor() as cursor:
        cursor.execute(TABLES_SQL)
        tables = [name for (name,) in cursor.fetchall()]
        asked = {name: f'SELECT to_jsonb(one)::text FROM "{name}" one' for name in tables} | DESCRIPTIONS
        found = {}
        for name, query in asked.items():
            cursor.execute(query)
            rows = sorted(map(str, cursor.fetchall()))
            found[name] = [CASTS.sub("", row) for row in rows] if name in DESCRIPTIONS else rows
    return found
