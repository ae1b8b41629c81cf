"""The trail's tables as the sealer and the verifier read them: each row with the SHA-256 of all that it says."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from accounts.trail.rows import Trail, audited_kind, list_trail_models
from accounts.trail.seal_models import TRAIL_IDS

# By SQL alone a row gets a time that no calendar here has: it is read and sealed all the same, and 2026 BC is not 2026.
FIRST_DAY, LAST_DAY = "'0001-01-02Z'::timestamptz", "'9999-12-30Z'::timestamptz"
TIME_SQL = f"""CASE WHEN pgh_created_at BETWEEN {FIRST_DAY} AND {LAST_DAY}
                    THEN to_char(pgh_created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
                    ELSE extract(epoch FROM pgh_created_at)::text END"""
# What a row says, as the text that PostgreSQL has for jsonb (docs/trail.md); the order of its parts never changes.
TEXT_SQL = f"""jsonb_build_array(
               '{{kind}}', pgh_id, {TIME_SQL},
               pgh_label, pgh_obj_id::text, {{within}}::text, changes, pgh_context)::text"""
AT_SQL = f"GREATEST({FIRST_DAY}, LEAST({LAST_DAY}, pgh_created_at))"
CONTENT_SQL = """
    SELECT pgh_id AS id, '{kind}' AS kind, {at} AS at, sha256(convert_to({text}, 'UTF8')) AS content
      FROM "{table}" WHERE pgh_id > %(after)s AND pgh_id <= %(through)s
"""
PART_ROWS_SQL = """
    SELECT pgh_id, {text}, link.previous, link.sha256
      FROM "{table}" LEFT JOIN accounts_traillink AS link ON link.row_id = pgh_id AND link.kind = '{kind}'
     WHERE pgh_id > %s ORDER BY pgh_id LIMIT %s
"""
ROWS_PER_FETCH = 2_000
LOWEST_ID, HIGHEST_ID = -(2**63), 2**63 - 1
NEXT_ROWS_SQL = "SELECT id, kind, at, content FROM ({rows}) AS kept ORDER BY id LIMIT %(size)s"
SEALED_ROWS_SQL = """
    SELECT COALESCE(kept.id, link.row_id) AS id, COALESCE(link.kind, kept.kind), kept.kind, kept.at, kept.content,
           link.previous, link.sha256
      FROM ({rows}) AS kept FULL JOIN (SELECT row_id, kind, previous, sha256 FROM accounts_traillink
                                        WHERE row_id > %(after)s AND row_id <= %(through)s) AS link
        ON link.row_id = kept.id ORDER BY 1
"""
LAST_ID_SQL = f"SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM {TRAIL_IDS}"  # noqa: S608
# Whoever wrote to a table of the trail holds this lock until its transaction has ended; so does who is about to write.
WRITERS_SQL = """
    SELECT DISTINCT virtualtransaction FROM pg_locks
     WHERE locktype = 'relation' AND mode = 'RowExclusiveLock' AND granted AND pid IS DISTINCT FROM pg_backend_pid()
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND relation = ANY (%s::regclass[]::oid[])
"""
ADD_LINKS_SQL = """
    INSERT INTO accounts_traillink (row_id, kind, previous, sha256)
    SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bytea[], %s::bytea[])
"""
BATCH_END_SQL = (
    "SELECT row_id FROM accounts_traillink WHERE row_id > %s AND row_id <= %s ORDER BY row_id OFFSET %s LIMIT 1"
)


class TrailRow(NamedTuple):
    """A row of the trail; `content` is the SHA-256 of what it says."""

    id: int
    kind: str
    at: datetime
    content: bytes


class SealedRow(NamedTuple):
    """A row beside its link; the row's part or the link's is None where only the other is there."""

    id: int
    kind: str
    found_kind: str | None
    at: datetime | None
    content: bytes | None
    previous: bytes | None
    sha256: bytes | None


def read_next_rows(*, after: int, through: int, size: int) -> list[TrailRow]:
    """Of all tables, by id."""
    sql = NEXT_ROWS_SQL.format(rows=_rows_sql())
    found = _query(sql, {"after": after, "through": through, "size": size})
    return [TrailRow(*row) for row in found]


def read_sealed_rows(*, after: int, through: int) -> list[SealedRow]:
    """Of all tables with their links, by id, whichever of the two is there."""
    found = _query(SEALED_ROWS_SQL.format(rows=_rows_sql()), {"after": after, "through": through})
    return [SealedRow(*row) for row in found]


def list_rows_before_first() -> Iterator[TrailRow]:
    """With ids lower than any that the sequence gives, sealed or not."""
    yield from _list_rows(after=LOWEST_ID, through=0)


def list_rows_behind_last() -> Iterator[TrailRow]:
    """With ids higher than any that the sequence gave by now."""
    for row in _list_rows(after=read_last_id(), through=HIGHEST_ID):
        if row.id > read_last_id():  # whoever was given it since then was given it by the sequence
            yield row


def find_batch_end(*, after: int, through: int, size: int) -> int:
    """The id of the link with which `size` of them end, or `through`."""
    found = _query(BATCH_END_SQL, [after, through, size - 1])
    return int(found[0][0]) if found else through


def read_last_id() -> int:
    """The newest id that anybody was given, whether its row is committed or not."""
    return int(_query(LAST_ID_SQL)[0][0])


def list_writers() -> list[str]:
    """The other transactions of this database that write to the trail at this moment."""
    tables = [trail._meta.db_table for trail in list_trail_models()]
    return [name for (name,) in _query(WRITERS_SQL, [tables])]


def add_links(links: list[tuple[int, str, bytes, bytes]]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(ADD_LINKS_SQL, [list(column) for column in zip(*links, strict=True)])


def list_part_rows(trail: type[Trail], partition: str) -> Iterator[tuple[int, str, bytes | None, bytes | None]]:
    """Of one partition, by id: the text that is sealed, the link before it and its own, None where there is none."""
    sql, after = _read_sql(PART_ROWS_SQL, trail, table=partition), 0
    while rows := _query(sql, [after, ROWS_PER_FETCH]):
        yield from rows
        after = rows[-1][0]


def _list_rows(*, after: int, through: int) -> Iterator[TrailRow]:
    while rows := read_next_rows(after=after, through=through, size=ROWS_PER_FETCH):
        yield from rows
        after = rows[-1].id


def _rows_sql() -> str:
    trails = list_trail_models()
    return " UNION ALL ".join(_read_sql(CONTENT_SQL, trail, table=trail._meta.db_table) for trail in trails)


def _read_sql(sql: str, trail: type[Trail], *, table: str) -> str:
    parent = trail.audited.parent
    within = f'"{trail._meta.get_field(parent).column}"' if parent else "NULL"  # type: ignore[union-attr]
    kind = audited_kind(trail)
    return sql.format(kind=kind, table=table, at=AT_SQL, text=TEXT_SQL.format(kind=kind, within=within))


def _query(sql: str, values: Any = None) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())
