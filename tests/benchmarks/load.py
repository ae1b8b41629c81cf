"""Mixed load, open loop: every request has its moment, and a late answer counts as late.

    IDS_TOKEN=ids_… python -m tests.benchmarks.load http://127.0.0.1:8000 --seconds 300

The token holds every scope; the service holds the benchmark's laboratory (`./ids manage bench seed --runs 100000`).
Registers as many watchers as asked for, then keeps the pace of a busy site and ends with all heartbeats at once.
Prints one line a kind of request and one for all writes. Loopback addresses only. Each kind has threads with kept
connections of their own: they ask less of the machine than the service does, and what one kind waits for keeps no other
from its moment.
"""

import argparse
import hashlib
import http.client
import json
import os
import statistics
import sys
import threading
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
WRITES = ("heartbeat", "events", "run", "upload URL", "bytes", "confirmation")
TIMEOUT, AT_ONCE, REGISTERING, LINES = 30, 200, 20, 16  # seconds; connections of the burst, of registering, of a kind


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

    def __init__(self, url: str, token: str) -> None:
        self.address, self.token = urlsplit(url), token
        self.lines, self.journal = threading.local(), Journal()
        self.watchers: list[tuple[str, str]] = []

    def send(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, bytes]:
        """Over the connection of this thread; once more where a kept one was closed meanwhile."""
        line = getattr(self.lines, "kept", None)
        for kept in (line, None):
            used = kept or http.client.HTTPConnection(str(self.address.hostname), self.address.port, timeout=TIMEOUT)
            try:
                used.request(method, path, body=body, headers=headers)
                answer = used.getresponse()
                self.lines.kept = used
                return answer.status, answer.read()
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                if kept is None:
                    raise
        raise AssertionError

    def call(self, method: str, path: str, body: object = None, *, accept: tuple[int, ...] = (200, 201)) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        text = None if body is None else json.dumps(body).encode()
        if text is not None:
            headers["Content-Type"] = "application/json"
        status, answer = self.send(method, f"/api/v1{path}", text, headers)
        if status not in accept:
            raise RuntimeError(f"{method} {path}: {status} {answer[:200]!r}")
        return json.loads(answer)

    def open(self, count: int) -> None:
        """Instruments and watchers; a second run finds them."""

        def register(number: int) -> tuple[str, str]:
            name = f"load-{number:05}"
            self.call("POST", "/instruments", {"id": name}, accept=(201, 409))
            body = {"instrument_id": name, "hostname": name, "agent_version": "1.0.0"}
            told = self.call("POST", "/watchers/register", body, accept=(201, 409))
            details = told.get("error", {}).get("details", {})
            return told.get("watcher_id") or details["existing_watcher_id"], name

        with ThreadPoolExecutor(REGISTERING) as pool:
            self.watchers = list(pool.map(register, range(count)))
        self.heartbeat(0)  # watchers that another token registered would refuse all day

    def heartbeat(self, number: int) -> None:
        watcher, _ = self.watchers[number % len(self.watchers)]
        self.call("POST", f"/watchers/{watcher}/heartbeat", {"status": "watching", "queue_depth": number % 7})

    def events(self, number: int) -> None:
        watcher, _ = self.watchers[number * 7 % len(self.watchers)]
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        one = {"event_type": "file_uploaded", "timestamp": now, "message": f"batch {number}"}
        self.call("POST", f"/watchers/{watcher}/events", {"events": [one] * 10})

    def file_report(self, number: int) -> None:
        """A run with one file, its bytes, and the confirmation."""
        _, instrument = self.watchers[number * 11 % len(self.watchers)]
        run, data = f"/instruments/{instrument}/runs/load-{number // 10}", make_table(number)
        with self.step("run"):
            self.call("POST", f"/instruments/{instrument}/runs", {"run_id": f"load-{number // 10}"})
        about = {
            "filename": f"{number}.csv",
            "size_bytes": len(data),
            "crc32": f"{zlib.crc32(data):08x}",
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        with self.step("upload URL"):
            ticket = self.call("POST", f"{run}/request-upload-url", about)
        if ticket["already_uploaded"]:
            return
        url = urlsplit(ticket["upload_url"])
        with self.step("bytes"):
            status, answer = self.send(ticket["method"], f"{url.path}?{url.query}", data, ticket["headers"])
        if status >= 300:
            raise RuntimeError(f"{ticket['method']} {url.path}: {status} {answer[:200]!r}")
        with self.step("confirmation"):
            self.call("PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"})

    def search(self, number: int) -> None:
        """As the run list asks: without an exact total, as all runs of a site this large are not counted."""
        questions = (
            "status=failed",
            "search=-1",
            "date_from=2026-01-01",
            f"page={number % 50 + 1}",
            "ranBy=unattributed",
        )
        self.call("GET", f"/instrument-runs?exact_total=false&{questions[number % len(questions)]}")

    def query(self, number: int) -> None:
        """Rows of what was read of the files above: of ten files, then of a tenth of all, stacked."""
        asked = {"name": "table", "search": f"load-{number % 2}", "where": "od600:gt:2.9", "order_by": "-od600"}
        self.call("GET", f"/dataset-rows?{urlencode(asked)}")

    def wait_for_rows(self) -> None:
        """Until files of both were read: before that the service knows of no such column."""
        for number in range(20):
            self.file_report(number)
        for _ in range(60):
            if self.call("GET", "/datasets?name=table&search=load-1&per_page=1")["data"]:
                return
            time.sleep(1)
        raise RuntimeError("The first files were not read within a minute.")

    def archive_poll(self, number: int) -> None:
        _, instrument = self.watchers[0]
        self.call("GET", f"/instruments/{instrument}/runs/load-0/download-archive", accept=(200, 202))

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One request of several that follow each other: its moment is the end of the one before."""
        began = time.monotonic()
        yield
        self.journal.seconds[name].append(time.monotonic() - began)

    def keep_pace(self, name: str, a_second: float, seconds: float, work: Callable[[int], None]) -> None:
        """Each request is due at its moment, and late where all threads of its kind still wait for others."""
        began, numbers = time.monotonic(), iter(range(int(a_second * seconds)))

        def go_on() -> None:
            for number in numbers:
                due = began + number / a_second
                time.sleep(max(0.0, due - time.monotonic()))
                try:
                    work(number)
                except (RuntimeError, OSError, http.client.HTTPException) as error:
                    self.journal.errors.append(f"{name}: {type(error).__name__} {error}")
                self.journal.seconds[name].append(time.monotonic() - due)

        threads = [threading.Thread(target=go_on) for _ in range(LINES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def day(self, seconds: float, *, reports: float, queries: float) -> None:
        """Each watcher every 60 s; 10 batches, 5 searches and 2 archive polls a second beside what is asked for."""
        self.file_report(0)
        if queries:
            self.wait_for_rows()
        self.journal = Journal()
        kinds: list[tuple[str, float, Callable[[int], None]]] = [
            ("heartbeat", len(self.watchers) / 60, self.heartbeat),
            ("events", 10, self.events),
            ("file report", reports, self.file_report),
            ("search", 5, self.search),
            ("archive poll", 2, self.archive_poll),
            ("query", queries, self.query),
        ]
        with ThreadPoolExecutor(len(kinds)) as pool:
            for done in [pool.submit(self.keep_pace, name, pace, seconds, work) for name, pace, work in kinds if pace]:
                done.result()

    def burst(self) -> float:
        """Every watcher at once, over all connections; seconds until the last was heard."""
        self.journal, began = Journal(), time.monotonic()

        def beat(number: int) -> None:
            self.heartbeat(number)
            self.journal.seconds["heartbeat"].append(time.monotonic() - began)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            for done in [pool.submit(beat, number) for number in range(len(self.watchers))]:
                try:
                    done.result()
                except (RuntimeError, OSError, http.client.HTTPException) as error:
                    self.journal.errors.append(f"{type(error).__name__} {error}")
        return time.monotonic() - began


def make_table(number: int) -> bytes:
    """A small export: 100 rows of a time and a density, no two files the same."""
    rows = (f"{second},{(number + second) % 300 / 100}\n" for second in range(100))
    return "".join(["time [s],od600\n", *rows]).encode()


def main(url: str, *, seconds: float, watchers: int, reports: float, queries: float) -> int:
    site = Site(url, os.environ["IDS_TOKEN"])
    site.open(watchers)
    site.day(seconds, reports=reports, queries=queries)
    print(site.journal.report(), flush=True)
    failed = bool(site.journal.errors)
    taken = site.burst()
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
    sys.exit(main(asked.url, seconds=asked.seconds, watchers=asked.watchers, **pace))
