"""A backup of a service that has something in every table, restored: the same table by table and page by page."""

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection

from accounts.trail.verification import find_extent, verify_rows
from files.models import File
from files.storage import cold_store, object_store, whole_store
from operations.backup.restoring import restore_backup
from operations.backup.taking import take_backup
from operations.reconciliation.comparison import DifferenceKind, Reconciliation
from tests.clients import Api
from tests.factories import make_user
from tests.group_lab import OURS, Answers, fill, find_differences, list_pages, list_routes, without_noise
from tests.group_worlds import People
from tests.operations.backup.drill import empty
from tests.operations.backup.something_of_everything import fill_every_table, read_database
from tests.retention.cold import use_cold
from wire.clock import now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
CLOCK = re.compile(r"(\d+|an?|one) (second|minute|hour)s? ago|just now|a moment ago|\d\d:\d\d(:\d\d)?")
UNCONNECTED = {"/api/v1/feedback", fill("/api/v1/feedback/<id:report_id>", OURS)}  # 503: there is no tracker
OF_THE_PROCESS = {"/metrics"}  # counted since it began


@pytest.fixture
def empty_database() -> Iterator[Any]:
    """Call it to work in another database, which has nothing."""
    name, own = "restored_" + os.urandom(4).hex(), connection.settings_dict["NAME"]
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    yield lambda: _work_in(name)
    _work_in(own)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name}")


def _work_in(name: str) -> None:
    pooled: Any = connection
    connection.close()
    pooled.close_pool()
    connection.settings_dict["NAME"] = name
    cache.clear()


def ask_everything(api: Api) -> Answers:
    """Every page and every route that reads, as an admin is answered."""
    found = {}
    for _, path, _ in [*list_pages(), *list_routes("GET")]:
        cache.clear()
        if path not in OF_THE_PROCESS:
            answer = api.get(fill(path, OURS))
            told = f"{answer.get('Location', '')}\n{answer.getvalue().decode('utf-8', 'replace')}"
            found[fill(path, OURS)] = answer.status_code, CLOCK.sub("WHEN", without_noise(told))
    return found


def read_objects() -> dict[str, bytes]:
    found = {}
    for one in list(whole_store().list()):
        with whole_store().open_range(one.key) as source:
            found[one.key] = source.read()
    return found


def find_missing() -> list[str]:
    """Planted rows name objects that never were."""
    batches = Reconciliation(whole_store(), read=True, at=now()).differences()
    found = [one for batch in batches for one in batch if one.kind is not DifferenceKind.ORPHAN]
    return sorted(f"{one.kind} {one.key}" for one in found)


def list_changes(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[str]:
    both = before.keys() | after.keys()
    return sorted(
        f"{sign} {name}: {row}"
        for name in both
        for sign, first, other in (("-", before, after), ("+", after, before))
        for row in set(first.get(name, [])) - set(other.get(name, []))
    )


def test_a_restored_service_is_the_same_table_by_table_and_page_by_page(
    local, place, settings, tmp_path, empty_database
):
    use_cold(settings, tmp_path / "cold")
    people = People(make_user(), make_user(), make_user(), make_user(is_admin=True))
    fill_every_table(people)
    api = Api(user=people.admin)
    pages = ask_everything(api)
    tables, held, missing = read_database(), read_objects(), find_missing()
    assert [name for name, rows in tables.items() if not rows] == []
    assert {path: status for path, (status, _) in pages.items() if status >= 500 and path not in UNCONNECTED} == {}

    take_backup(place, whole_store(), at=now())
    empty(whole_store())
    empty_database()
    restored = restore_backup(
        place, place.find_backup(None), object_store(), secret=tmp_path / "key", privileges=True, keep_objects=False
    )

    assert [one for one in restored.differences if one.kind is not DifferenceKind.MISSING] == []
    assert list_changes(tables, read_database()) == []
    assert read_objects().items() <= held.items()
    assert find_missing() == missing
    assert list(verify_rows(find_extent())) == []
    assert list(find_differences(pages, ask_everything(api))) == []
    assert File.objects.cold().count() == 1
    cold_store.cache_clear()
