"""The tables of the trail that grow with the data lie in a partition a month (UTC), so that a month can be taken away.

`migrate` ends with it: a table that is new is made so, an older one becomes the first part of it as it is, without a
copy. Who writes and reads does not notice: the table has the name that it had. What no month takes, by a clock that is
far off, is kept in the part `other`.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import OperationalError, connections, transaction
from django.db.backends.utils import CursorWrapper

from accounts.trail import months_sql
from accounts.trail.rows import Trail, audited_kind, list_trail_models
from wire.clock import now

log = logging.getLogger(__name__)
MONTHS_AHEAD = 3
BEFORE, OTHER = "before", "other"
MARGIN = timedelta(days=31)  # how long a table may stand prepared until its first part is cut off


@dataclass(frozen=True)
class TrailPart:
    """One partition: rows of `kind` written from `first` on and before `until`; no bound where None.

    `name` is `202601` for a month, `before_202602` for all that was there when months began, `other` for the rest.
    """

    kind: str
    table: str
    name: str
    first: datetime | None
    until: datetime | None

    @property
    def partition(self) -> str:
        return f"{self.table}_{self.name}"


def list_monthly_trails() -> list[type[Trail]]:
    return [trail for trail in list_trail_models() if trail.audited.by_month]


def list_parts(*, using: str = "default") -> list[TrailPart]:
    """All partitions, by kind and name."""
    return [part for trail in list_monthly_trails() for part in _list_parts(trail, using=using)]


def add_months(*, at: datetime, using: str = "default") -> int:
    """Make the partitions of this month and the next ones, as far as they are missing. Returns how many were made."""
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT public.add_trail_months(%s, %s)", [at.astimezone(UTC).date(), MONTHS_AHEAD])
        return int(cursor.fetchone()[0])


def partition_trail(*, using: str, **_: Any) -> None:
    """Tables that lie in one piece become partitioned ones. Runs after each `migrate`, as their owner."""
    for trail in list_monthly_trails():
        table = trail._meta.db_table
        with connections[using].cursor() as cursor:
            cursor.execute(months_sql.PARTITIONED_SQL, [table])
            if (found := cursor.fetchone()) is None or found[0]:
                continue
            try:
                _partition(cursor, table, using=using, at=now())
            except OperationalError as error:  # others write without a pause: the next `migrate` tries again
                log.warning("%s stays in one piece for now: %s", table, error)
    with connections[using].cursor() as cursor:
        cursor.execute("SELECT to_regprocedure('public.add_trail_months(date, integer)')")
        is_there = cursor.fetchone()[0]
    if is_there:
        add_months(at=now(), using=using)


def _list_parts(trail: type[Trail], *, using: str) -> list[TrailPart]:
    table = trail._meta.db_table
    with connections[using].cursor() as cursor:
        cursor.execute(months_sql.PARTS_SQL, [table])
        rows = cursor.fetchall()
    return [
        TrailPart(audited_kind(trail), table, name.removeprefix(f"{table}_"), first, until)
        for name, first, until in rows
    ]


def _partition(cursor: CursorWrapper, table: str, *, using: str, at: datetime) -> None:
    """The check is validated first, while others write, so that the table is cut over without being read."""
    cursor.execute("SET lock_timeout = '5s'")
    try:
        cursor.execute(months_sql.NEWEST_ROW_SQL.format(table=table))
        newest = cursor.fetchone()[0]
        boundary = _begin_of_month_after(max(newest or at, at) + MARGIN)
        if newest is not None:
            cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT IF EXISTS "{table}_{BEFORE}"')
            bound = f"CHECK (pgh_created_at < '{boundary.isoformat()}')"
            cursor.execute(f'ALTER TABLE "{table}" ADD CONSTRAINT "{table}_{BEFORE}" {bound} NOT VALID')
            cursor.execute(f'ALTER TABLE "{table}" VALIDATE CONSTRAINT "{table}_{BEFORE}"')
        with transaction.atomic(using=using):
            for statement in list(_list_steps(cursor, table, boundary=boundary, is_empty=newest is None)):
                cursor.execute(statement)
    finally:
        cursor.execute("RESET lock_timeout")


def _list_steps(cursor: CursorWrapper, table: str, *, boundary: datetime, is_empty: bool) -> Iterable[str]:
    """The table steps aside under another name, its name is given to one of partitions with all that stood at it."""
    cursor.execute(f'LOCK TABLE "{table}" IN ACCESS EXCLUSIVE MODE')
    triggers, indexes, grants = (
        _query(cursor, sql, table) for sql in (months_sql.TRIGGERS_SQL, months_sql.INDEXES_SQL, months_sql.GRANTS_SQL)
    )
    aside = f"{table}_{BEFORE}_{boundary:%Y%m}"
    yield from (f'DROP TRIGGER "{name}" ON "{table}"' for name, *_ in triggers)
    yield from (f'ALTER INDEX "{name}" RENAME TO "{name}_{BEFORE}"' for name, _ in indexes)
    yield f'ALTER TABLE "{table}" RENAME TO "{aside}"'
    like = f'(LIKE "{aside}" INCLUDING DEFAULTS INCLUDING STORAGE)'
    yield f'CREATE TABLE "{table}" {like} PARTITION BY RANGE (pgh_created_at)'
    yield from (definition for _, definition in indexes)
    if is_empty:
        yield f'DROP TABLE "{aside}"'
    else:
        bounds = f"FOR VALUES FROM (MINVALUE) TO ('{boundary.isoformat()}')"
        yield f'ALTER TABLE "{table}" ATTACH PARTITION "{aside}" {bounds}'
        yield f'ALTER TABLE "{aside}" DROP CONSTRAINT "{table}_{BEFORE}"'
    yield f'CREATE TABLE "{table}_{OTHER}" PARTITION OF "{table}" DEFAULT'
    yield f'ALTER TABLE "{table}_{OTHER}" ADD PRIMARY KEY (pgh_id)'
    for name, definition, comment in triggers:
        yield definition
        if comment:
            yield f"""COMMENT ON TRIGGER "{name}" ON "{table}" IS '{comment.replace("'", "''")}'"""
    yield from (f'GRANT {privilege} ON "{table}" TO {role}' for role, privilege in grants)


def _query(cursor: CursorWrapper, sql: str, table: str) -> list[tuple[Any, ...]]:
    cursor.execute(sql, [table])
    return list(cursor.fetchall())


def _begin_of_month_after(moment: datetime) -> datetime:
    month = moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return (month + timedelta(days=32)).replace(day=1)
