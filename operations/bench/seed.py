"""Building the benchmark's data set in an empty database."""

import time
from collections.abc import Callable
from uuid import UUID

from django.db import connection, transaction

from accounts.models import User
from accounts.scopes import Scope
from accounts.tokens import create_token
from files.stored.recount import REPAIR_INSTRUMENTS_SQL
from files.stored.sizes import correct_range, list_ranges
from instruments.models import Instrument
from operations.bench.bulk_load import suspend_constraints
from operations.bench.seed_groups import add_groups, add_what_members_list
from operations.bench.seed_statements import SEED_STEPS
from wire.clock import now

TABLES = ("files_file", "runs_claim", "runs_comment", "runs_run")
PERSON_EMAIL = "person-%@bench.example"
PrintLine = Callable[[str], object]


class DatabaseNotEmpty(Exception):
    """The database holds somebody's data; a benchmark must not mix with it."""


def seed_database(*, runs: int, say: PrintLine, instruments: int | None = None, groups: int = 0) -> None:
    """Fill an empty, migrated database. Takes about five minutes for a million runs.

    Without a number of instruments there is one for 500 runs, and 20 at least. With groups there are members, and what
    these list beside runs. Raises DatabaseNotEmpty.
    """
    if Instrument.objects.exists():
        raise DatabaseNotEmpty
    users = max(20, runs // 5_000)
    values: dict[str, str | int | UUID] = {
        "runs": runs,
        "instruments": instruments or max(20, runs // 500),
        "users": users,
        "people": PERSON_EMAIL,
        "big_run": runs // 10 * 5,
    }
    with transaction.atomic():
        User.objects.bulk_create(_build_people(users))
        _load_tables(values | {"token": _make_token()}, say)
        if groups:
            seed_groups(groups, say)
    for number in list_ranges():
        correct_range(number, at=now())
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum would leave it
    say("vacuumed and analysed")


def seed_groups(count: int, say: PrintLine) -> None:
    """In a laboratory that is there."""
    add_groups(count)
    for name, (rows, seconds) in add_what_members_list().items():
        say(f"{name}: {rows} rows in {seconds:.1f} s")


def _load_tables(values: dict[str, str | int | UUID], say: PrintLine) -> None:
    with connection.cursor() as cursor:
        with suspend_constraints(TABLES):
            for name, statement in SEED_STEPS.items():
                started = time.perf_counter()
                cursor.execute(statement, values)
                say(f"{name}: {cursor.rowcount} rows in {time.perf_counter() - started:.1f} s")
            started = time.perf_counter()
        say(f"indexes: {time.perf_counter() - started:.1f} s")
        cursor.execute(REPAIR_INSTRUMENTS_SQL)


def _build_people(count: int) -> list[User]:
    return [
        User(email=PERSON_EMAIL.replace("%", f"{number:05}"), display_name=f"Person {number}")
        for number in range(count)
    ]


def _make_token() -> UUID:
    """The token that reported everything; its text is forgotten at once."""
    return create_token(name="bench", scopes=[Scope.READ], by=None, at=now()).token.pk
