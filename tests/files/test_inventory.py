"""The keys that rows name, range by range of runs and yet in byte order."""

from datetime import timedelta
from uuid import UUID

import pytest

from files.stored import inventory
from files.stored.inventory import list_referenced_files
from tests.factories import make_file, make_run
from wire.clock import now

pytestmark = pytest.mark.django_db


def make_named(run, place: int, *, key: str | None = None):
    return make_file(run=run, status="uploaded", storage_key=key or f"runs/{run.pk}/{place}/nonce/a.csv")


def keys(after: str = "") -> list[str]:
    return [one.key for one in list_referenced_files(after=after)]


@pytest.fixture
def named(monkeypatch) -> list[str]:
    """Keys of seven runs with three files each, and some of another form before, between and behind them."""
    monkeypatch.setattr(inventory, "RUNS_PER_RANGE", 2)
    runs = [make_run(pk=UUID(int=number * 7919**8)) for number in (5, 3, 9, 1, 8, 2, 7)]
    files = [make_named(run, place) for run in runs for place in (10, 9, 1)]
    others = ("a", f"runs/{runs[1].pk}", f"runs/{runs[2].pk}/elsewhere", "runs/zzz", "z")
    files += [make_named(runs[0], 0, key=key) for key in others]
    return sorted(str(file.storage_key) for file in files)


def test_all_keys_come_once_and_in_byte_order(named):
    assert keys() == named


@pytest.mark.parametrize("place", range(26))
def test_a_list_goes_on_after_any_key(named, place):
    assert keys(after=named[place]) == named[place + 1 :]


@pytest.mark.parametrize("after", ["runs/", "runs/8", "runs/00000000-0000-0000-0000-000000000000", "s", "runs/\n"])
def test_a_list_goes_on_after_what_is_no_key(named, after):
    assert keys(after=after) == [key for key in named if key > after]


def test_a_key_under_another_runs_name_is_not_lost(named):
    one, other = make_run(), make_run()
    key = f"runs/{other.pk}/1/nonce/moved.csv"

    make_named(one, 1, key=key)

    assert keys() == sorted([*named, key])


def test_a_file_without_a_key_is_left_out():
    make_file()

    assert keys() == []


def test_what_came_after_the_listing_began_does_not_count_as_stored():
    began = now()
    run = make_run()
    make_named(run, 1).__class__.objects.update(uploaded_at=began - timedelta(seconds=1))
    make_named(run, 2)

    stored = [one.is_stored for one in list_referenced_files(stored_before=began)]

    assert stored == [True, False]
