"""Scripts that report runs, store files and comment, whatever they are told, and keep a journal of it all."""

import hashlib
import threading
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Self

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection
from urllib3.connectionpool import HTTPConnectionPool

INSTRUMENT = "faults-1"
NO_ANSWER = 0
PAUSE = 0.1  # a script of its manners: a token may ask 50 times a second


@dataclass(frozen=True)
class Entry:
    """One call and what came of it."""

    what: str
    status: int  # NO_ANSWER where the connection ended first
    began: float
    seconds: float
    retry_after: str | None = None
    sent: float | None = None  # when all of it was handed over to the system, if it ever was


@dataclass
class Journal:
    """What all scripts did, and what the service acknowledged."""

    entries: list[Entry] = field(default_factory=list)
    runs: set[str] = field(default_factory=set)
    comments: dict[str, list[str]] = field(default_factory=dict)
    files: dict[int, str] = field(default_factory=dict)  # SHA-256 by id

    def statuses(self) -> Counter[int]:
        return Counter(entry.status for entry in self.entries)

    def without_advice(self) -> list[Entry]:
        """Refusals that do not say when to try again."""
        return [entry for entry in self.entries if entry.status == 503 and not entry.retry_after]

    def longest_gap(self) -> float:
        """The longest time in which nothing was acknowledged, in seconds."""
        good = sorted(entry.began + entry.seconds for entry in self.entries if 200 <= entry.status < 300)
        return max(later - earlier for earlier, later in pairwise(good))

    def slowest(self) -> float:
        return max(entry.seconds for entry in self.entries)

    def story(self) -> str:
        told = ", ".join(
            f"{count} of {status or 'no answer'}" for status, count in sorted(self.statuses().items(), reverse=True)
        )
        kept = f"{len(self.runs)} runs, {len(self.files)} files, {sum(map(len, self.comments.values()))} comments"
        return f"{told}; slowest {self.slowest():.1f} s, longest gap {self.longest_gap():.1f} s; acknowledged {kept}"


class Dispatch(threading.local):
    """When the last request of this thread had left it."""

    at: float | None = None


dispatch = Dispatch()


class TellingConnection(HTTPConnection):
    def request(self, *arguments: Any, **options: Any) -> None:
        super().request(*arguments, **options)
        dispatch.at = time.monotonic()


class TellingPool(HTTPConnectionPool):
    ConnectionCls = TellingConnection


class TellingAdapter(HTTPAdapter):
    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        super().init_poolmanager(*arguments, **options)
        self.poolmanager.pool_classes_by_scheme = {"http": TellingPool}


class Load:
    """A context: so many scripts work until it ends."""

    def __init__(self, url: str, token: str, *, scripts: int = 4, name: str = "load") -> None:
        self.root, self.token, self.name = f"{url}/api/v1", token, name
        self.journal = Journal()
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=self._work, args=[number]) for number in range(scripts)]

    def __enter__(self) -> Self:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def _work(self, script: int) -> None:
        with requests.Session() as http:
            http.trust_env = False
            http.mount("http://", TellingAdapter())
            http.headers["Authorization"] = f"Bearer {self.token}"
            number = 0
            while not self.stopped.is_set():
                self._one_run(http, f"{self.name}-{script}-{number}")
                number += 1

    def _one_run(self, http: requests.Session, name: str) -> None:
        runs = f"{self.root}/instruments/{INSTRUMENT}/runs"
        if self._call(http, "run", "POST", runs, json={"run_id": name}) is None:
            return
        self.journal.runs.add(name)
        self._store(http, f"{runs}/{name}", name.encode() * 500)
        if self._call(http, "comment", "POST", f"{runs}/{name}/comments", json={"body": f"on {name}"}) is not None:
            self.journal.comments.setdefault(name, []).append(f"on {name}")

    def _store(self, http: requests.Session, run: str, data: bytes) -> None:
        sha256 = hashlib.sha256(data).hexdigest()
        about = {"filename": "a.raw", "size_bytes": len(data), "sha256": sha256, "crc32": f"{zlib.crc32(data):08x}"}
        ticket = self._call(http, "ticket", "POST", f"{run}/request-upload-url", json=about)
        if ticket is None:
            return
        headers = ticket["headers"] | {"Authorization": None}  # the signed URL is the only credential
        if self._call(http, "bytes", "PUT", ticket["upload_url"], data=data, headers=headers) is None:
            return
        path = f"{self.root}/files/{ticket['file_id']}"
        if self._call(http, "uploaded", "PATCH", path, json={"status": "uploaded"}) is not None:
            self.journal.files[ticket["file_id"]] = sha256

    def _call(self, http: requests.Session, what: str, method: str, url: str, **options: Any) -> Any:
        """The answer, or None where it was not acknowledged; the journal knows why."""
        began, dispatch.at = time.monotonic(), None
        try:
            answer = http.request(method, url, timeout=60, **options)
        except requests.RequestException:
            seconds = time.monotonic() - began
            self.journal.entries.append(Entry(what, NO_ANSWER, began, seconds, sent=dispatch.at))
            self.stopped.wait(PAUSE)
            return None
        after, seconds = answer.headers.get("Retry-After"), time.monotonic() - began
        self.journal.entries.append(Entry(what, answer.status_code, began, seconds, after, dispatch.at))
        self.stopped.wait(PAUSE)
        if not answer.ok:
            return None
        return answer.json() if answer.content else {}
