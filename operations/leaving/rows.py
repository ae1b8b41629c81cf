"""Rows of the database as lines of JSON and as Parquet, and back."""

import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import islice
from typing import Any
from uuid import UUID

import pyarrow as pa
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models

from operations.leaving.tables import EXPORTED, LeavingTable
from wire.queries.walking import walk_rows

ROWS_PER_FETCH = 2_000
RUNS_PER_FETCH = 500
Row = dict[str, Any]
WHOLE_NUMBERS = (models.IntegerField, models.BigIntegerField, models.SmallIntegerField, models.AutoField)


def list_tables() -> Iterator[tuple[type[models.Model], LeavingTable]]:
    for label, table in EXPORTED.items():
        yield apps.get_model(label), table


def list_fields(model: type[models.Model], table: LeavingTable) -> list[Any]:
    return [model._meta.get_field(name) for name in (*table.columns, *table.computed)]


def walk_table(model: type[models.Model], table: LeavingTable) -> Iterator[Row]:
    """All rows as JSON has them, by their primary key; files by their run, so that they are read beside the runs."""
    names = [field.attname for field in list_fields(model, table)]
    key = names.index(_key_of(model))
    names.insert(0, names.pop(key))
    rows = model._default_manager.values_list(*names)
    found = _walk_by_runs(rows) if table.name == "files" else walk_rows(rows, by=names[0], size=ROWS_PER_FETCH)
    for row in found:
        yield {name: _to_json(value) for name, value in zip(names, row, strict=True)}


def _walk_by_runs(rows: models.QuerySet[Any, Any]) -> Iterator[tuple[Any, ...]]:
    """A range of runs at a time: a sort of all files would fill the database's disk."""
    runs = walk_rows(apps.get_model("runs.Run")._default_manager.values_list("pk"), by="pk", size=RUNS_PER_FETCH)
    for batch in in_batches(runs, size=RUNS_PER_FETCH):
        of_these = rows.filter(run_id__gte=batch[0][0], run_id__lte=batch[-1][0])
        yield from of_these.order_by("run_id", "pk").iterator(chunk_size=ROWS_PER_FETCH)


def in_batches(rows: Iterable[Any], *, size: int) -> Iterator[list[Any]]:
    source = iter(rows)
    while batch := list(islice(source, size)):
        yield batch


def build_object(model: type[models.Model], table: LeavingTable, row: Row) -> Any:
    """The unsaved object of a row; computed columns are left to the database.

    A column that an older export does not have yet has its default.
    """
    values = {}
    for name in table.columns:
        field: Any = model._meta.get_field(name)
        if field.attname not in row:
            continue
        told = row[field.attname]
        reader = field.target_field if field.is_relation else field
        values[field.attname] = told if told is None or isinstance(field, ArrayField) else reader.to_python(told)
    return model(**values)


def dump_row(row: Row) -> bytes:
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


def build_schema(model: type[models.Model], table: LeavingTable) -> pa.Schema:
    fields = list_fields(model, table)
    fields.sort(key=lambda field: field.attname != _key_of(model))
    return pa.schema([pa.field(field.attname, _type_of(field)) for field in fields])


def to_arrow(rows: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{field.name: _to_cell(row[field.name], field.type) for field in schema} for row in rows], schema=schema
    )


def _key_of(model: type[models.Model]) -> str:
    key = model._meta.pk
    assert key is not None
    return key.attname


def _to_json(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value


def _type_of(field: Any) -> pa.DataType:
    if field.is_relation:
        return _type_of(field.target_field)
    if isinstance(field, ArrayField):
        return pa.list_(_type_of(field.base_field))
    if isinstance(field, models.DateTimeField):
        return pa.timestamp("us", tz="UTC")
    if isinstance(field, models.BooleanField):
        return pa.bool_()
    return pa.int64() if isinstance(field, WHOLE_NUMBERS) else pa.string()  # JSON as its text


def _to_cell(value: Any, kind: pa.DataType) -> Any:
    if value is None or (isinstance(value, list) and not pa.types.is_string(kind)):
        return value
    if pa.types.is_timestamp(kind):
        return datetime.fromisoformat(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value
