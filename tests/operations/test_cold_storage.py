"""`./ids manage doctor` says how the cold store is, what waits to move and who waits for files."""

from datetime import timedelta

import pytest

from files.models import Recall
from files.storage import cold_store, object_store
from operations.cold_storage import check_cold_store
from retention.cooling import cool_due
from tests.factories import make_instrument, make_user
from tests.retention.cold import use_cold
from tests.retention.lab import make_old_run, store_file
from tests.stores import use_files
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def cold_files(tmp_path, settings):
    use_files(settings, tmp_path / "objects")
    use_cold(settings, tmp_path / "cold")
    yield tmp_path / "cold"
    object_store.cache_clear()
    cold_store.cache_clear()


def told():
    return {finding.subject: finding for finding in check_cold_store()}


def test_where_there_never_was_one_nothing_is_said():
    assert told() == {}


def test_a_rule_without_a_store_is_told():
    make_instrument(cold_raw_after_days=30)

    assert "nothing moves" in told()["cold store"].state


def test_a_store_that_answers_tells_its_room_and_what_waits(cold_files):
    store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")

    found = told()

    assert "free" in found["cold store"].state
    assert found["cold store: to move"].state == "1 files"
    assert (found["cold store: to bring back"].state, found["cold store: to bring back"].remedy) == ("nobody waits", "")


def test_who_waits_for_a_day_is_told_with_where_to_look(cold_files):
    file = store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    Recall.objects.create(run=file.run, file=file, requested_by=make_user(), requested_at=now() - timedelta(days=3))

    found = told()["cold store: to bring back"]

    assert found.state == "1 wait, the first for 3 days"
    assert "builder" in found.remedy


def test_a_folder_that_is_gone_is_out_of_reach(cold_files):
    store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    cool_due(clock=now, goes_on=lambda: True)
    cold_files.rename(cold_files.with_name("elsewhere"))

    assert "out of reach" in told()["cold store"].state


def test_cold_files_without_a_store_are_told(cold_files, settings):
    store_file(make_old_run(make_instrument(cold_raw_after_days=30)), b"raw")
    cool_due(clock=now, goes_on=lambda: True)
    settings.STORAGES = {name: one for name, one in settings.STORAGES.items() if name != "cold"}
    cold_store.cache_clear()

    assert "1 files lie in one" in told()["cold store"].state
