"""Building the benchmark's data set in an empty database."""

import time
from collections.abc import Callable
from uuid import UUID

from django.db import connection, transaction

from accounts.models import User
from accounts.scopes import Scope
from accounts.tokens import create_token
from config.bench.bulk_load import bulk_load
from config.bench.seed_statements import STEPS
from files.recount import RECOUNT_INSTRUMENTS
from instruments.models import Instrument
from wire.clock import now

TABLES = ("files_file", "runs_claim", "runs_comment", "runs_run")
PEOPLE = "person-%@bench.example"
Say = Callable[[str], object]


class OtherData(Exception):
    """The database holds somebody's data; a benchmark must not mix with it."""


def seed(*, runs: int, say: Say) -> None:
    """Fill an empty, migrated database. Takes about five minutes for a million runs."""
    if Instrument.objects.exists():
        raise OtherData
    users = max(20, runs // 5_000)
    values: dict[str, str | int | UUID] = {
        "runs": runs,
        "instruments": max(20, runs // 500),
        "users": users,
        "people": PEOPLE,
        "big_run": runs // 10 * 5,
    }
    with transaction.atomic():
        User.objects.bulk_create(_people(users))
        _load(values | {"token": _make_token()}, say)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum would leave it
    say("vacuumed and analysed")


def _load(values: dict[str, str | int | UUID], say: Say) -> None:
    with connection.cursor() as cursor:
        with bulk_load(TABLES):
            for name, statement in STEPS.items():
                started = time.perf_counter()
                cursor.execute(statement, values)
                say(f"{name}: {cursor.rowcount} rows in {time.perf_counter() - started:.1f} s")
            started = time.perf_counter()
        say(f"indexes: {time.perf_counter() - started:.1f} s")
        cursor.execute(RECOUNT_INSTRUMENTS)


def _people(count: int) -> list[User]:
    return [User(email=PEOPLE.replace("%", f"{number:05}"), display_name=f"Person {number}") for number in range(count)]


def _make_token() -> UUID:
    """The token that reported everything; its text is forgotten at once."""
    return create_token(name="bench", scopes=[Scope.READ], by=None, at=now()).token.pk
