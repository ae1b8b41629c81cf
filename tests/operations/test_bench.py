"""The benchmark's laboratory at a small size; what it measures is in tests/benchmarks."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.callers import caller_for_user
from accounts.models import User
from changes.models import Change
from datasets.models import Dataset
from files.models import File
from files.naming import natural_key
from files.stored.recount import RecountResult, recount_all
from instruments.models import Instrument
from notifications.models import Notification
from operations.bench.seed import DatabaseNotEmpty, seed_database
from runs.models import Claim, Run
from tests.factories import make_instrument

pytestmark = pytest.mark.django_db(transaction=True)

SCHEMA = """
    SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid <> 0
    UNION ALL SELECT tgname || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
"""


def schema() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(SCHEMA)
        return {text for (text,) in cursor.fetchall()}


def test_a_seeded_laboratory_is_what_the_triggers_would_have_kept():
    seed_database(runs=400, say=print)

    assert Run.objects.count() == 400
    assert Run.objects.order_by("-file_count")[0].file_count == 4_000
    assert Claim.objects.exists()
    assert recount_all() == RecountResult(runs=0, instruments=0)


def test_seeding_leaves_indexes_constraints_and_triggers_as_they_were():
    before = schema()

    seed_database(runs=400, say=print)

    assert schema() == before


def test_seeded_names_sort_as_the_service_sorts_them():
    seed_database(runs=400, say=print)

    names = File.objects.values_list("filename", "natural_key")[:500]

    assert [name for name, key in names if natural_key(name) != key] == []


@pytest.mark.parametrize(("runs", "instruments"), [(1, 1), (37, 3), (30, 100_001)])
def test_a_laboratory_has_as_many_runs_and_instruments_as_were_asked_for(runs, instruments):
    seed_database(runs=runs, instruments=instruments, say=print)

    assert (Run.objects.count(), Instrument.objects.count()) == (runs, instruments)
    assert recount_all() == RecountResult(runs=0, instruments=0)


@pytest.mark.parametrize("number", ["0", "-1", "1e3", "many"])
def test_a_number_of_runs_is_a_whole_one(number):
    with pytest.raises(CommandError, match="whole number"):
        call_command("bench", "seed", f"--runs={number}")


def test_a_database_with_other_data_is_refused():
    make_instrument()

    with pytest.raises(DatabaseNotEmpty):
        seed_database(runs=400, say=print)

    assert not Run.objects.exists()


def test_a_laboratory_with_groups_has_members_who_see_a_part_of_it():
    seed_database(runs=400, instruments=100, groups=10, say=print)

    members = User.objects.filter(email__startswith="member-")
    seen = [len(caller_for_user(person).instrument_ids or ()) for person in members]
    assert len(seen) == 10
    assert min(seen) < max(seen) < 100
    assert not any(caller_for_user(person).managed for person in members)
    assert recount_all() == RecountResult(runs=0, instruments=0)
    assert all(listed.objects.exists() for listed in (Dataset, Change, Notification))
