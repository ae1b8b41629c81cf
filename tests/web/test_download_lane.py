"""The lane of ZIPs of many runs: who finds a place, who is refused, and when a place is free again."""

import asyncio
from contextlib import asynccontextmanager, suppress

import pytest

from datasets.requests import ABANDONMENT
from web.lanes.downloads import DownloadLane, DownloadsUnderWay, is_download

FORM = {"type": "http.request", "body": b"run=reader%2Fa&do=zip", "more_body": False}


def scope(address="10.0.0.1", *, method="POST", path="/downloads/one"):
    return {"type": "http", "method": method, "path": path, "query_string": b"", "client": (address, 1)}


class Client:
    """Sends its form, then stays until it leaves."""

    def __init__(self):
        self.left = asyncio.Event()
        self.has_sent = False

    async def receive(self):
        if not self.has_sent:
            self.has_sent = True
            return FORM
        await self.left.wait()
        return {"type": "http.disconnect"}


class Work:
    """What makes the ZIPs: each goes on until it may end, or its client has left."""

    def __init__(self):
        self.begun = 0
        self.may_end = asyncio.Event()

    async def __call__(self, scope, receive, send):
        self.begun += 1
        while not (self.may_end.is_set() or scope[ABANDONMENT].is_abandoned):
            await asyncio.sleep(0)


@asynccontextmanager
async def downloads(lane, *addresses):
    """So many under way, each at its work."""
    clients = [Client() for _ in addresses]
    tasks = [
        asyncio.create_task(lane(scope(address), client.receive, None))
        for address, client in zip(addresses, clients, strict=True)
    ]
    for _ in range(10):
        await asyncio.sleep(0)
    try:
        yield clients, tasks
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def ask(lane, address):
    """One more, by a client that has left already: it is answered at once, or refused."""
    client = Client()
    client.left.set()
    await lane(scope(address), client.receive, None)


@pytest.mark.parametrize(
    ("asked", "taken"),
    [
        (scope(), True),
        (scope(method="GET"), False),
        (scope(path="/downloads"), False),
        (scope(path="/downloads/one/"), False),
    ],
)
def test_only_the_making_of_one_zip_is_taken(asked, taken):
    assert is_download(asked) is taken


def test_the_third_download_of_an_address_is_refused_and_says_when_to_come_again():
    async def main():
        work = Work()
        lane = DownloadLane(work)
        async with downloads(lane, "10.0.0.1", "10.0.0.1"):
            with pytest.raises(DownloadsUnderWay) as refused:
                await ask(lane, "10.0.0.1")
        assert work.begun == 2
        return refused.value

    error = asyncio.run(main())

    assert (error.status, error.code) == (429, "RATE_LIMITED")
    assert error.headers == {"Retry-After": "60"}


def test_the_fifth_download_is_refused_wherever_it_comes_from():
    async def main():
        lane = DownloadLane(Work())
        async with downloads(lane, "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.2"):
            with pytest.raises(DownloadsUnderWay):
                await ask(lane, "10.0.0.3")

    asyncio.run(main())


def test_a_full_address_keeps_nobody_else_out():
    async def main():
        lane = DownloadLane(Work())
        async with downloads(lane, "10.0.0.1", "10.0.0.1"):
            await ask(lane, "10.0.0.2")

    asyncio.run(main())


def test_a_client_that_leaves_ends_its_download_and_frees_its_place():
    async def main():
        lane = DownloadLane(Work())
        async with downloads(lane, "10.0.0.1", "10.0.0.1") as (clients, tasks):
            clients[0].left.set()
            await asyncio.wait_for(tasks[0], timeout=30)
            await ask(lane, "10.0.0.1")
            assert not tasks[1].done()

    asyncio.run(main())


def test_a_download_that_ends_frees_its_place():
    async def main():
        work = Work()
        lane = DownloadLane(work)
        async with downloads(lane, "10.0.0.1", "10.0.0.1") as (_, tasks):
            work.may_end.set()
            await asyncio.wait_for(asyncio.gather(*tasks), timeout=30)
            await ask(lane, "10.0.0.1")

    asyncio.run(main())


def test_a_download_that_fails_frees_its_place_and_leaves_no_watcher():
    async def fail(scope, receive, send):
        raise OSError("the store is away")

    async def main():
        lane = DownloadLane(fail)
        for _ in range(3):
            with pytest.raises(OSError, match="the store is away"):
                await lane(scope(), Client().receive, None)
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1


def test_the_form_reaches_who_makes_the_zip():
    got = []

    async def read(scope, receive, send):
        got.append(await receive())

    asyncio.run(DownloadLane(read)(scope(), Client().receive, None))

    assert got[0]["body"] == FORM["body"]
