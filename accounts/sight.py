"""Which instruments a person sees and rules: groups decide it, here and nowhere else.

A person who does not see all is a caller bound to the instruments that they see, as a token may be: lists, counts,
searches, datasets, archives, changes, history and MCP are then bounded as they are for such a token.
The tables are named: instruments and their groups stand above accounts.
"""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import connection

from accounts.models import User

SIGHT_SQL = """
    WITH mine AS MATERIALIZED (
        SELECT entry.instrument_id, member.role
          FROM instruments_membership AS member JOIN instruments_groupinstrument AS entry USING (group_id)
         WHERE member.person_id = %(person)s)
    SELECT CASE WHEN EXISTS (SELECT 1 FROM instruments_instrument
                              WHERE visibility = 'groups' AND id NOT IN (SELECT instrument_id FROM mine))
                THEN ARRAY(SELECT id FROM instruments_instrument
                            WHERE visibility = 'everyone' OR id IN (SELECT instrument_id FROM mine) ORDER BY id) END,
           ARRAY(SELECT DISTINCT instrument_id FROM mine WHERE role = 'manager')
"""
SEEING_SQL = """
    SELECT person.id FROM accounts_user AS person
     WHERE person.id = ANY(%(people)s)
       AND (person.is_admin
            OR EXISTS (SELECT 1 FROM instruments_instrument WHERE id = %(instrument)s AND visibility = 'everyone')
            OR EXISTS (SELECT 1 FROM instruments_membership AS member
                         JOIN instruments_groupinstrument AS entry USING (group_id)
                        WHERE member.person_id = person.id AND entry.instrument_id = %(instrument)s))
"""

# Whatever changes who sees what leaves a row in one of these tables of the trail. Ids are drawn before a transaction
# ends: one that ends late puts its row below the last one, so those right below are counted.
RIGHTS_TABLES = (
    *("accounts_usertrail", "accounts_tokentrail"),
    *("instruments_membershiptrail", "instruments_groupinstrumenttrail", "instruments_instrumenttrail"),
)
ROWS_COUNTED = 500
COUNT_LAST_SQL = """
    SELECT '{table}' AS kind, MAX(pgh_id), COUNT(*) FROM {table}
     WHERE pgh_id > (SELECT MAX(pgh_id) - {rows} FROM {table})
"""
RIGHTS_SQL = " UNION ALL ".join(COUNT_LAST_SQL.format(table=table, rows=ROWS_COUNTED) for table in RIGHTS_TABLES)
RightsVersion = tuple[tuple[str, int | None, int], ...]


@dataclass(frozen=True)
class Sight:
    """`instrument_ids`: what a person sees, None is all; `managed`: of what they are a manager."""

    instrument_ids: tuple[str, ...] | None = None
    managed: frozenset[str] = frozenset()


EVERYTHING = Sight()


def sight_of(user: User) -> Sight:
    """Admins see and rule everything."""
    if user.is_admin:
        return EVERYTHING
    with connection.cursor() as cursor:
        cursor.execute(SIGHT_SQL, {"person": user.pk})
        seen, managed = cursor.fetchone()
    return Sight(None if seen is None else tuple(seen), frozenset(managed))


def keep_those_who_see(people: Collection[UUID], instrument_id: str) -> set[UUID]:
    """Of these people, those who may see an instrument."""
    with connection.cursor() as cursor:
        cursor.execute(SEEING_SQL, {"people": list(people), "instrument": instrument_id})
        return {row[0] for row in cursor.fetchall()}


def read_rights_version() -> RightsVersion:
    """Another one than before: somebody may see more, or less, than they did."""
    with connection.cursor() as cursor:
        cursor.execute(RIGHTS_SQL)
        return tuple(sorted(cursor.fetchall()))
