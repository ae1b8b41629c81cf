"""Random days of a laboratory: all act at once, anybody may die, and in the end nothing is lost and nothing lies.

`python -m tests.model.attack SEED [STEPS]` tells the whole story of one.
"""

import logging
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from accounts import rate_limits as rates
from files.storage import cold_store, object_store, replica_store
from tests.model.attack import SEED, STEPS
from tests.model.day import LENGTH, Place, play_day
from tests.model.parts import choose_part_size
from tests.model.tasks import read_stand_in
from tests.retention.cold import use_cold
from tests.stores import use_files

pytestmark = pytest.mark.django_db(transaction=True)
TOLD = os.environ.get(SEED)
SHORT = [int(TOLD)] if TOLD else range(5)
FIRST = int(os.environ.get("IDS_TEST_FIRST", "1000"))
MANY = range(FIRST, FIRST + int(os.environ.get("IDS_TEST_DAYS", "100")))


@pytest.fixture
def place(tmp_path: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Stores, hot and cold, of their own; no broker hears of tasks, so that sweeps have to find them."""
    monkeypatch.setattr(rates, "REQUESTS", replace(rates.REQUESTS, max_hits=0))
    monkeypatch.setattr("jobs.task_queue.publish", lambda task, *, times, deadline: times)
    monkeypatch.setattr("processing.reading_files.read_file", read_stand_in)
    monkeypatch.setattr("files.uploads.requests.choose_part_size", choose_part_size)
    monkeypatch.setattr("files.uploads.together.choose_part_size", choose_part_size)
    settings.DEDUPLICATE = True
    use_files(settings, tmp_path / "objects")
    use_cold(settings, tmp_path / "cold")
    use_replica(settings, tmp_path / "replica")
    logging.disable()  # they say thousands of things
    told = connection.get_connection_params()
    login = {name: told[name] for name in ("dbname", "user", "password", "host", "port") if told.get(name)}
    with psycopg.connect(**login, autocommit=True) as watch:
        yield Place([tmp_path / "objects", tmp_path / "cold"], tmp_path / "replica", watch)
    logging.disable(logging.NOTSET)
    for store in (object_store, cold_store, replica_store):
        store.cache_clear()


def use_replica(settings: Any, root: Path) -> None:
    backend = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": root}}
    settings.STORAGES = settings.STORAGES | {"replica": backend}
    replica_store.cache_clear()


def expect_no_fault(seed: int, place: Place, *, length: int) -> None:
    """What broke is told with who met whom, and who died before what."""
    story: list[str] = []

    def say(line: str) -> None:
        if TOLD:
            sys.stdout.write(f"{line}\n")
        elif " goes on with " not in line:
            story.append(line)

    if faults := play_day(seed, place, length=length, say=say):
        pytest.fail("\n".join([*story, "", *faults]), pytrace=False)


@pytest.mark.parametrize("seed", SHORT)
def test_nothing_is_lost_on_a_random_day(seed: int, place: Place) -> None:
    expect_no_fault(seed, place, length=int(os.environ.get(STEPS) or LENGTH))


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_nothing_is_lost_on_many_random_days(seed: int, place: Place) -> None:
    expect_no_fault(seed, place, length=14)
