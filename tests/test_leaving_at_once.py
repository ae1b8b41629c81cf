"""A member is taken out of a group while they page through lists, wait for an archive, hear changes: real threads.

From the answer to the removal on nothing of the group's instrument is told to them; what was begun before may end.
"""

import asyncio
import threading
import time
from itertools import count
from typing import Any

import pytest
from django.db import connections

from archives.building import build_next
from archives.models import ArchiveJob
from tests.changes.test_log import add
from tests.changes.test_stream import in_thread, listening, quick_stream, scope_of, session_cookie
from tests.clients import Api
from tests.factories import make_group, make_instrument, make_run, make_stored_file, make_user
from tests.races import at_once
from web.stream import change_stream
from wire.clock import now

pytestmark = pytest.mark.django_db(transaction=True)
API = "/api/v1"
RUNS = 60


class Lab:
    """One instrument of a group, with runs; `member` is taken out by an admin."""

    def __init__(self) -> None:
        self.reader = make_instrument(id="quagga-reader", visibility="groups")
        self.member, self.admin = make_user(), make_user(is_admin=True)
        self.group = make_group(self.member, instruments=[self.reader])
        self.runs = [make_run(instrument=self.reader, run_id=f"quagga {number:03}") for number in range(RUNS)]
        for number in range(3):
            make_run(run_id=f"open {number}")
        self.removed_at = float("inf")

    def remove(self) -> None:
        answer = Api(user=self.admin).patch(f"{API}/groups/{self.group.pk}", {"members": []})
        assert answer.status_code == 200, answer.content
        self.removed_at = time.monotonic()


@pytest.fixture
def lab() -> Lab:
    return Lab()


def test_pages_that_are_turned_meanwhile_tell_nothing_more(lab):
    api = Api(user=lab.member)
    begun, until = threading.Barrier(2), time.monotonic() + 60

    def turn(_: int) -> list[tuple[float, str]]:
        told, cursor = [], ""
        for number in count():
            asked = time.monotonic()
            assert asked < until
            answer = api.get(f"{API}/instrument-runs?per_page=2&sort=run_id&order=asc&cursor={cursor}")
            assert answer.status_code == 200
            told.append((asked, answer.content.decode()))
            cursor = answer.json()["pagination"]["next_cursor"] or ""
            if number == 5:
                begun.wait(60)
            if asked > lab.removed_at and not cursor:
                break
        return told

    def act(thread: int) -> Any:
        if thread == 0:
            return turn(0)
        begun.wait(60)
        return lab.remove()

    told, _ = at_once(2, act)

    assert any("quagga" in text for asked, text in told if asked < lab.removed_at)
    assert [text for asked, text in told if asked > lab.removed_at and "quagga" in text] == []
    assert any(asked > lab.removed_at for asked, _ in told)


def test_an_archive_that_is_built_meanwhile_is_not_theirs(lab):
    run = lab.runs[0]
    for number in range(3):
        make_stored_file(f"{number}.csv", b"quagga" * 1000, run=run)
    path = f"{API}/instruments/{lab.reader.pk}/runs/{run.run_id}/download-archive"
    api, until = Api(user=lab.member), time.monotonic() + 60
    asked = api.get(path, Accept="application/json")
    assert asked.status_code == 202

    def act(thread: int) -> Any:
        if thread == 0:
            return build_next(clock=now)
        if thread == 1:
            return lab.remove()
        told: list[tuple[float, int, str]] = []
        while not told or told[-1][0] <= lab.removed_at + 0.3:
            began = time.monotonic()
            assert began < until
            answer = api.get(path, Accept="application/json")
            told.append((began, answer.status_code, answer.content.decode()))
        return told

    built, _, told = at_once(3, act)

    assert built
    assert ArchiveJob.objects.get(pk=asked.json()["job_id"]).status == "ready"
    late = [(status, text) for began, status, text in told if began > lab.removed_at]
    assert late
    assert {status for status, _ in late} == {404}
    assert not [text for _, text in late if "quagga" in text or "download_url" in text]
    assert Api(user=lab.admin).get(path, Accept="application/json").json()["status"] == "ready"


def test_a_stream_that_is_open_meanwhile_tells_nothing_that_comes_after(lab):
    """Changes go on coming from two threads, of the group's instrument and of another one."""
    make_instrument(id="reader-2")
    ends, after = threading.Event(), []

    def go_on_working() -> None:
        while not ends.is_set():
            is_late = lab.removed_at < time.monotonic()
            position = add("run.created", lab.reader.pk)
            if is_late:
                after.append(position)

    async def listen() -> list[dict[str, Any]]:
        scope = await in_thread(lambda: scope_of(query="after=now", cookie=session_cookie(lab.member)))
        async with listening(quick_stream(), scope) as listener:
            working = [in_thread(go_on_working) for _ in range(2)]
            try:
                await listener.until(lab.reader.pk)
                await in_thread(lab.remove)
                await asyncio.sleep(0.3)
                async with asyncio.timeout(60):
                    while not after:
                        await asyncio.sleep(0.01)
            finally:
                ends.set()
                await asyncio.gather(*working)
            last = await in_thread(lambda: add("run.created", "reader-2"))
            await listener.until(f"id: {last}\n")
            return listener.events

    try:
        told = asyncio.run(listen())
    finally:
        change_stream._thread.submit(connections.close_all).result()

    assert after
    assert {event["instrument_id"] for event in told} == {lab.reader.pk, "reader-2"}
    assert not set(after) & {event["position"] for event in told}
