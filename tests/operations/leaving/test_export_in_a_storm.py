"""An export is written while runs are purged, edited, deleted, sent to and moved: what it says comes in, in whole."""

import threading
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import pytest

from files.cold.bringing_back import bring_back_next
from files.models import File, Recall
from files.removing.lock import RemovalOnHold
from files.storage import cold_store, object_store, whole_store
from operations.leaving import exporting
from operations.leaving.comparing import Comparison, compare_everything
from operations.leaving.exporting import export_everything
from operations.leaving.importing import import_everything
from retention.cooling import cool_due
from retention.purging import purge_due
from runs.models import Run
from tests.clients import Api
from tests.factories import make_instrument, make_token_with_text, make_user
from tests.files.sending import path_of
from tests.operations.leaving.test_importing import empty
from tests.races import at_once
from tests.retention.cold import use_cold
from tests.retention.lab import RULES, make_deleted_run, make_old_run, store_file
from wire.clock import now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
ROUNDS = 6
Act = Callable[[Api, Random], None]


@pytest.fixture(autouse=True)
def cold(store: Any, settings: Any, tmp_path: Any) -> Any:
    use_cold(settings, tmp_path / "cold")
    yield cold_store()
    cold_store.cache_clear()


def fill() -> None:
    """What rules purge at once, what they make cold, and what stays."""
    purging = make_instrument(**RULES)
    moving = make_instrument(cold_raw_after_days=30)
    for number in range(3):
        for run in (make_old_run(purging), make_deleted_run(purging), make_old_run(moving)):
            store_file(run, f"raw {number} {run.pk}".encode())
            store_file(run, f"made {number} {run.pk}".encode(), category="processed")


def any_run(chance: Random) -> Run:
    return chance.choice(list(Run.objects.select_related("instrument").order_by("pk")))


def purge(api: Api, chance: Random) -> None:
    with suppress(RemovalOnHold):
        purge_due(clock=now, goes_on=lambda: True)


def cool(api: Api, chance: Random) -> None:
    with suppress(RemovalOnHold):
        cool_due(clock=now, goes_on=lambda: True)


def bring_back(api: Api, chance: Random) -> None:
    file = File.objects.cold().first()
    if file is not None:
        Recall.objects.create(run=file.run, requested_by=make_user())
        bring_back_next(clock=now)


def edit(api: Api, chance: Random) -> None:
    api.patch(path_of(any_run(chance)), {"metadata_patch": {"x": chance.random()}})


def edit_file(api: Api, chance: Random) -> None:
    api.patch(f"/api/v1/files/{chance.choice(list(File.objects.all())).pk}", {"metadata": {"x": chance.random()}})


def delete(api: Api, chance: Random) -> None:
    api.delete(path_of(any_run(chance)))


def restore(api: Api, chance: Random) -> None:
    api.post(f"{path_of(any_run(chance))}/restore")


def report(api: Api, chance: Random) -> None:
    store_file(any_run(chance), chance.randbytes(20), filename=f"{chance.random()}.raw")


def comment(api: Api, chance: Random) -> None:
    api.post(f"{path_of(any_run(chance))}/comments", {"body": f"{chance.random()}"})


ACTS: list[Act] = [edit, edit_file, delete, restore, report, comment, purge, cool, bring_back]


@pytest.mark.parametrize("number", range(ROUNDS))
def test_what_is_exported_in_a_storm_comes_in_whole(store, tmp_path, monkeypatch, number):
    fill()
    ends, began = threading.Event(), threading.Event()
    api = Api(token=(made := make_token_with_text())[0], text=made[1])
    written = exporting._write_run

    def write_slowly(*args: Any, **named: Any) -> None:
        began.set()
        ends.wait(0.05)  # as long as runs of some size take
        written(*args, **named)

    monkeypatch.setattr(exporting, "_write_run", write_slowly)

    def act(thread: int) -> Any:
        if thread == 0:
            try:
                return export_everything(tmp_path / "out", whole_store(), at=now())
            finally:
                ends.set()
        chance = Random(number * 10 + thread)
        while not ends.is_set():
            (purge, cool, bring_back)[thread % 3](api, chance) if thread < 4 else chance.choice(ACTS)(api, chance)
        return None

    result, *_ = at_once(6, act)

    assert began.is_set()
    assert result.is_whole, result.told
    monkeypatch.undo()
    empty(whole_store())
    import_everything(tmp_path / "out", object_store(), at=now())
    assert list(compare_everything(tmp_path / "out", object_store(), Comparison())) == []
