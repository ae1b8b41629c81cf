"""Statements that the database parses and plans once a connection, in place of once a call.

Only for the few that every other request makes, each of which has one good plan whatever its values are: to plan a
described run costs PostgreSQL five times what it takes to find it. What changes a row that the trail watches says in
the statement itself who acts: no comment can, as the text stays (wire.audit_context).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Self

import pgtrigger
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.postgresql.psycopg_any import get_adapters_template
from django.db.backends.utils import CursorWrapper
from django.db.models import Model
from psycopg import ClientCursor, Cursor, adapters
from psycopg._queries import PostgresQuery, _query2pg_nocache
from psycopg.adapt import AdaptersMap
from psycopg.errors import FeatureNotSupported
from psycopg.pq import Format, TransactionStatus
from psycopg.sql import Literal

from wire.audit_context import SAY_WHO_ACTS, describe_act
from wire.settings.database import TRANSACTION

READ_TIMESTAMP: Any = adapters.get_loader(adapters.types["timestamptz"].oid, Format.TEXT)
FORMATS = re.compile("%[s%]")
take_apart = lru_cache(256)(_query2pg_nocache)


@dataclass(frozen=True)
class WrittenQuery:
    """A statement with its values in it, as other cursors send and Django's logs of tests show it."""

    connection: Any
    statement: str
    values: Any

    @property
    def query(self) -> bytes:
        return ClientCursor(self.connection).mogrify(self.statement, self.values).encode()


class PreparedQuery(PostgresQuery):
    """Taken apart at its placeholders once: psycopg keeps no statement of over 4,096 characters or 50 values."""

    __slots__ = ()

    def convert(self, query: Any, vars: Any) -> None:  # noqa: A002 (psycopg's name)
        if vars is None:
            super().convert(query, vars)
            return
        parts = take_apart(self._ensure_bytes(query), self._tx.encoding)
        self.query, self._want_formats, self._order, self._parts = parts
        self.dump(vars)


class PreparedCursor(Cursor[Any]):
    """The values go beside the statement. Where a pooler gives another connection each time, it is planned anew.

    Times are read by psycopg's own reader, which is compiled: Django's, several times slower, says UTC as well.
    """

    _query_cls = PreparedQuery

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._adapters = read_adapters()

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        try:
            return self._execute_prepared(query, params, **options)
        except FeatureNotSupported:  # a migration changed the type of a column since: what is kept is of no more use
            self._conn._prepared.clear()
            if self._conn.info.transaction_status != TransactionStatus.IDLE:
                raise
            return self._execute_prepared(query, params, **options)

    def _execute_prepared(self, query: Any, params: Any, **options: Any) -> Self:
        """Elsewhere psycopg is to count nothing: it would keep the text of each statement, with all that is in it."""
        is_kept = settings.DATABASE_POOLING != TRANSACTION
        self._conn.prepare_threshold = 0 if is_kept else None
        try:
            return super().execute(query, params, prepare=is_kept, **options)
        finally:
            self._conn.prepare_threshold = None
            self._query = WrittenQuery(self._conn, query, params)  # type: ignore[assignment]  # Django asks for its text


class UnwatchedCursor(PreparedCursor):
    """No comment is put before its statements, which change what nobody watches."""

    takes_comment = False


class ActingCursor(PreparedCursor):
    """Its statements change what the trail watches, and have SAY_WHO_ACTS in them; the value is given here."""

    takes_comment = False

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        if SAY_WHO_ACTS not in query:
            raise ValueError("The statement does not say who acts.")
        return super().execute(query, params | {"acting": describe_act()}, **options)


@cache
def read_adapters() -> AdaptersMap:
    adapters = AdaptersMap(get_adapters_template(settings.USE_TZ, connection.timezone))
    adapters.register_loader("timestamptz", READ_TIMESTAMP)
    return adapters


def prepared_cursor(kind: type[PreparedCursor] = PreparedCursor) -> CursorWrapper:
    """As `connection.cursor()`: seen by the same wrappers, in the same transaction."""
    database: Any = connections[DEFAULT_DB_ALIAS]  # each look through the proxy takes its time
    database.ensure_connection()
    with database.wrap_database_errors:
        made: CursorWrapper = database._prepare_cursor(kind(database.connection))
        return made


def prepared_cursor_to_write(model: type[Model]) -> CursorWrapper:
    """For statements that change rows of this table alone, on which no trigger fires: none asks who acts."""
    if has_triggers(model):
        raise ValueError(f"{model.__name__} has triggers: what changes it is to say who acts.")
    return prepared_cursor(UnwatchedCursor)


@cache
def has_triggers(model: type[Model]) -> bool:
    return any(watched._meta.label == model._meta.label for watched, _ in pgtrigger.registered())


def write_constants(sql: str, parameters: Sequence[Any], *, stays: type) -> str:
    """A statement of `%s` with its parameters written into it, but for those of a class: what is left to be given.

    The conditions of partial indexes are then constants in it, which they have to be for a plan to use these.
    """
    values = iter(parameters)

    def write(found: re.Match[str]) -> str:
        if found[0] == "%%" or isinstance(value := next(values), stays):
            return found[0]
        return Literal(value).as_string(connection.connection).replace("%", "%%")

    return FORMATS.sub(write, sql)
