"""Mixed load, open loop: every request has its moment, and a late answer counts as late.

    IDS_TOKEN=ids_… python -m tests.benchmarks.load http://127.0.0.1:8000 --seconds 300

The token holds every scope; the service holds the benchmark's laboratory (`./ids manage bench seed --runs 100000`).
Registers as many watchers as asked for, then keeps the pace of a busy site and ends with all heartbeats at once.
Prints one line a kind of request and one for all writes. Loopback addresses only.
"""

import argparse
import asyncio
import hashlib
import http.client
import itertools
import os
import random
import statistics
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
WRITES = ("heartbeat", "events", "run", "upload URL", "bytes", "confirmation")
TIMEOUT, CONNECTIONS = 30, 200


@dataclass
class Journal:
    """What was asked, how long each took from its moment on, and what went wrong."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)

    def line(self, name: str, taken: list[float]) -> str:
        ordered = sorted(taken)
        p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        middle, slowest = statistics.median(ordered), ordered[-1]
        times = f"median {middle * 1000:7.1f} ms  p99 {p99 * 1000:7.1f} ms  max {slowest * 1000:7.1f} ms"
        return f"{name:12} {len(taken):7} {times}"

    def report(self) -> str:
        lines = [self.line(name, taken) for name, taken in self.seconds.items()]
        writes = [second for name in WRITES for second in self.seconds.get(name, [])]
        lines += [self.line("all writes", writes)] if writes else []
        return "\n".join([*lines, f"errors       {len(self.errors):7} {'; '.join(self.errors[:3])}"])


class Site:
    """A laboratory's watchers and people, as seen by the service."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client, self.journal = client, Journal()
        self.watchers: list[tuple[str, str]] = []
        self.numbers, self.chance = itertools.count(), random.Random(4)

    async def call(self, method: str, path: str, body: object = None, *, accept: tuple[int, ...] = (200, 201)) -> Any:
        answer = await self.client.request(method, f"/api/v1{path}", json=body)
        if answer.status_code not in accept:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        return answer.json()

    async def open(self, count: int) -> None:
        """Instruments and watchers, 20 at a time; a second run finds them."""
        gate = asyncio.Semaphore(20)

        async def one(number: int) -> tuple[str, str]:
            name = f"load-{number:05}"
            async with gate:
                await self.call("POST", "/instruments", {"id": name}, accept=(201, 409))
                body = {"instrument_id": name, "hostname": name, "agent_version": "1.0.0"}
                told = await self.call("POST", "/watchers/register", body, accept=(201, 409))
            details = told.get("error", {}).get("details", {})
            return told.get("watcher_id") or details["existing_watcher_id"], name

        self.watchers = list(await asyncio.gather(*(one(number) for number in range(count))))
        await self.heartbeat(0)  # watchers that another token registered would refuse all day

    async def heartbeat(self, number: int) -> None:
        watcher, _ = self.watchers[number % len(self.watchers)]
        await self.call("POST", f"/watchers/{watcher}/heartbeat", {"status": "watching", "queue_depth": number % 7})

    async def events(self, number: int) -> None:
        watcher, _ = self.watchers[number * 7 % len(self.watchers)]
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        one = {"event_type": "file_uploaded", "timestamp": now, "message": f"batch {number}"}
        await self.call("POST", f"/watchers/{watcher}/events", {"events": [one] * 10})

    async def file_report(self, number: int) -> None:
        """A run with one file, its bytes, and the confirmation."""
        _, instrument = self.watchers[number * 11 % len(self.watchers)]
        run, data = f"/instruments/{instrument}/runs/load-{number // 10}", make_table(number)
        with self.step("run"):
            await self.call("POST", f"/instruments/{instrument}/runs", {"run_id": f"load-{number // 10}"})
        about = {
            "filename": f"{number}.csv",
            "size_bytes": len(data),
            "crc32": f"{zlib.crc32(data):08x}",
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        with self.step("upload URL"):
            ticket = await self.call("POST", f"{run}/request-upload-url", about)
        if not ticket["already_uploaded"]:
            with self.step("bytes"):
                sent = await self.client.put(ticket["upload_url"], content=data, headers=ticket["headers"])
                sent.raise_for_status()
            with self.step("confirmation"):
                await self.call("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"})

    async def search(self, number: int) -> None:
        questions = (
            "?status=failed",
            "?search=-1",
            "?date_from=2026-01-01",
            f"?page={number % 50 + 1}",
            "?ranBy=unattributed",
        )
        await self.call("GET", f"/instrument-runs{questions[number % len(questions)]}")

    async def query(self, number: int) -> None:
        """Rows of what was read of the files above: of ten files, then of a tenth of all, stacked."""
        asked = {"name": "table", "search": f"load-{number % 2}", "where": "od600:gt:2.9", "order_by": "-od600"}
        await self.call("GET", f"/dataset-rows?{urlencode(asked)}")

    async def wait_for_rows(self) -> None:
        """Until files of both were read: before that the service knows of no such column."""
        for number in range(20):
            await self.file_report(number)
        for _ in range(60):
            if (await self.call("GET", "/datasets?name=table&search=load-1&per_page=1"))["data"]:
                return
            await asyncio.sleep(1)
        raise RuntimeError("The first files were not read within a minute.")

    async def archive_poll(self, number: int) -> None:
        _, instrument = self.watchers[0]
        path = f"/instruments/{instrument}/runs/load-0/download-archive"
        answer = await self.client.get(f"/api/v1{path}", headers={"Accept": "application/json"})
        if answer.status_code not in (200, 202):
            raise RuntimeError(f"GET {path}: {answer.status_code} {answer.text[:200]}")

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One request of several that follow each other: its moment is the end of the one before."""
        began = time.monotonic()
        yield
        self.journal.seconds[name].append(time.monotonic() - began)

    async def timed(self, name: str, moment: float, work: Callable[[int], Awaitable[None]], number: int) -> None:
        try:
            await work(number)
        except (RuntimeError, httpx.HTTPError) as error:
            self.journal.errors.append(f"{name}: {type(error).__name__} {error}")
        self.journal.seconds[name].append(time.monotonic() - moment)

    async def keep_pace(
        self, name: str, a_second: float, seconds: float, work: Callable[[int], Awaitable[None]]
    ) -> None:
        """Starts each request at its moment, whether or not the ones before were answered."""
        began, running = time.monotonic(), set()
        for number in range(int(a_second * seconds)):
            moment = began + number / a_second
            await asyncio.sleep(max(0.0, moment - time.monotonic()))
            task = asyncio.create_task(self.timed(name, moment, work, number))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)

    async def day(self, seconds: float, *, reports: float, queries: float) -> None:
        """Each watcher every 60 s; 10 batches, 5 searches and 2 archive polls a second beside what is asked for."""
        await self.file_report(0)
        if queries:
            await self.wait_for_rows()
        await asyncio.gather(
            self.keep_pace("heartbeat", len(self.watchers) / 60, seconds, self.heartbeat),
            self.keep_pace("events", 10, seconds, self.events),
            self.keep_pace("file report", reports, seconds, self.file_report),
            self.keep_pace("search", 5, seconds, self.search),
            self.keep_pace("archive poll", 2, seconds, self.archive_poll),
            self.keep_pace("query", queries, seconds, self.query),
        )

    def burst(self) -> float:
        """Every watcher at once, over all connections; seconds until the last was heard.

        Over http.client: httpx asks more of a core than the service does, and would be what is measured.
        """
        self.journal, began = Journal(), time.monotonic()
        address, waiting = self.client.base_url, itertools.count()
        headers = {"Authorization": self.client.headers["Authorization"], "Content-Type": "application/json"}

        def beat_on(_: int) -> None:
            line = http.client.HTTPConnection(str(address.host), address.port, timeout=TIMEOUT)
            while (number := next(waiting)) < len(self.watchers):
                path = f"/api/v1/watchers/{self.watchers[number][0]}/heartbeat"
                line.request("POST", path, body='{"status": "watching", "queue_depth": 3}', headers=headers)
                answer = line.getresponse()
                text = answer.read()
                if answer.status != 200:
                    self.journal.errors.append(f"{path}: {answer.status} {text[:200]!r}")
                self.journal.seconds["heartbeat"].append(time.monotonic() - began)
            line.close()

        with ThreadPoolExecutor(CONNECTIONS) as pool:
            list(pool.map(beat_on, range(CONNECTIONS)))
        return time.monotonic() - began


def make_table(number: int) -> bytes:
    """A small export: 100 rows of a time and a density, no two files the same."""
    rows = (f"{second},{(number + second) % 300 / 100}\n" for second in range(100))
    return "".join(["time [s],od600\n", *rows]).encode()


async def main(url: str, *, seconds: float, watchers: int, reports: float, queries: float) -> int:
    headers = {"Authorization": f"Bearer {os.environ['IDS_TOKEN']}"}
    limits = httpx.Limits(max_connections=CONNECTIONS, max_keepalive_connections=CONNECTIONS)
    async with httpx.AsyncClient(base_url=url, headers=headers, limits=limits, timeout=TIMEOUT) as client:
        site = Site(client)
        await site.open(watchers)
        await site.day(seconds, reports=reports, queries=queries)
        print(site.journal.report(), flush=True)
        failed = bool(site.journal.errors)
        taken = await asyncio.to_thread(site.burst)
        print(f"{watchers} heartbeats at once: all answered after {taken:.1f} s")
        print(site.journal.report())
        return int(failed or bool(site.journal.errors))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--watchers", type=int, default=2_000)
    parser.add_argument("--reports", type=float, default=5, help="files a second")
    parser.add_argument("--queries", type=float, default=0, help="queries of datasets a second")
    asked = parser.parse_args()
    if urlsplit(asked.url).hostname not in LOOPBACK:
        sys.exit("Load goes to this machine only: give a loopback address.")
    pace = {"reports": asked.reports, "queries": asked.queries}
    sys.exit(asyncio.run(main(asked.url, seconds=asked.seconds, watchers=asked.watchers, **pace)))
