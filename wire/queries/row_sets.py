"""Rows of one model written by one statement, whose SQL is the same however many there are.

The values go as one JSON document: to build and compile an INSERT or UPDATE for each call costs Django several times
what PostgreSQL needs to run it.
"""

import json
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection, models

from wire.queries.prepared import prepared_cursor


def insert_rows(rows: Sequence[models.Model]) -> None:
    """New rows, whose keys are known, with all their columns as they stand; generated ones are left to the database."""
    if rows:
        fields = _written_fields(type(rows[0]))
        _execute(_build_insert(type(rows[0]), fields), rows, fields)


def insert_row(row: models.Model, *, unless: tuple[str, ...] = ()) -> bool:
    """A new row; it gets its key where the database makes that.

    With `unless`, the columns of a unique constraint, False where there is a row of these already: none is made then,
    and the transaction goes on.
    """
    model = type(row)
    fields = [field for field in _written_fields(model) if not field.primary_key or row.pk is not None]
    with connection.cursor() as cursor:
        cursor.execute(_build_insert_of_one(model, tuple(fields), unless), [_write_document([row], fields)])
        made = cursor.fetchone()
    if made is None:
        return False
    row.pk, row._state.adding, row._state.db = made[0], False, connection.alias
    return True


def update_rows(rows: Sequence[models.Model], names: tuple[str, ...]) -> None:
    """These fields of known rows, as they stand; the others stay as the database has them."""
    if rows:
        model = type(rows[0])
        fields = [_key_of(model), *(model._meta.get_field(name) for name in names)]
        _execute(_build_update(model, names), rows, fields)


def next_ids(model: type[models.Model], count: int) -> list[int]:
    """So many keys that no row has or will get."""
    with prepared_cursor() as cursor:
        cursor.execute(_build_next_ids(model), [count])
        return [key for (key,) in cursor.fetchall()]


def _execute(sql: str, rows: Sequence[models.Model], fields: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, [_write_document(rows, fields)])


def _write_document(rows: Sequence[models.Model], fields: Sequence[Any]) -> str:
    told = [{field.column: getattr(row, field.attname) for field in fields} for row in rows]
    return json.dumps(told, default=_to_json)


@cache
def _build_next_ids(model: type[models.Model]) -> str:
    sequence = f"""pg_get_serial_sequence('"{model._meta.db_table}"', '{_key_of(model).column}')"""
    return f"SELECT nextval({sequence}) FROM generate_series(1, %s::int)"  # noqa: S608 (of the model)


@cache
def _build_insert_of_one(model: type[models.Model], fields: tuple[Any, ...], unless: tuple[str, ...]) -> str:
    columns: list[Any] = [model._meta.get_field(name) for name in unless]
    known = ", ".join(f'"{field.column}"' for field in columns)
    conflict = f" ON CONFLICT ({known}) DO NOTHING" if unless else ""
    return f'{_build_insert(model, fields)}{conflict} RETURNING "{_key_of(model).column}"'


@cache
def _build_insert(model: type[models.Model], fields: tuple[Any, ...]) -> str:
    columns = ", ".join(f'"{field.column}"' for field in fields)
    table = model._meta.db_table
    return f'INSERT INTO "{table}" ({columns}) SELECT {columns} FROM {_recordset(fields)}'  # noqa: S608 (of the model)


@cache
def _build_update(model: type[models.Model], names: tuple[str, ...]) -> str:
    key = _key_of(model)
    fields: list[Any] = [model._meta.get_field(name) for name in names]
    changes = ", ".join(f'"{field.column}" = given."{field.column}"' for field in fields)
    return (
        f'UPDATE "{model._meta.db_table}" AS kept SET {changes} FROM {_recordset([key, *fields])}'  # noqa: S608
        f' WHERE kept."{key.column}" = given."{key.column}"'
    )


def _recordset(fields: Sequence[Any]) -> str:
    columns = ", ".join(f'"{field.column}" {field.rel_db_type(connection)}' for field in fields)
    return f"jsonb_to_recordset(%s::jsonb) AS given({columns})"


@cache
def _written_fields(model: type[models.Model]) -> tuple[Any, ...]:
    return tuple(field for field in model._meta.concrete_fields if not field.generated)


def _key_of(model: type[models.Model]) -> Any:
    return model._meta.pk


def _to_json(value: Any) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
