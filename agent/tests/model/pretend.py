"""The service in memory, as far as the agent calls it: docs/interface.md without a network, and with any weather."""

import hashlib
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PART_SIZE = 64
IN_PARTS_FROM = 100
PER_PAGE = 100
THEN = "2026-01-01T00:00:00.000Z"


@dataclass
class Record:
    """One file as the service knows it; `key` is where its bytes are, or are to come."""

    id: int
    run: str
    path: str
    version: int = 1
    version_of: int | None = None
    size: int | None = None
    sha256: str | None = None
    crc32: str | None = None
    created_at: str | None = None
    uploaded_at: str | None = None
    deleted_at: str | None = None
    key: str | None = None
    upload_id: str | None = None
    parts: dict[int, bytes] = field(default_factory=dict)
    has_issued_parts: bool = False
    is_asked_for: bool = False

    def declare(self, body: dict[str, Any]) -> None:
        said = (body["size_bytes"], body.get("sha256"), body.get("crc32"))
        if said != (self.size, self.sha256, self.crc32):
            self.size, self.sha256, self.crc32 = said
            self.forget_upload()
        self.created_at = body.get("file_created_at") or self.created_at

    def forget_upload(self) -> None:
        self.key = self.upload_id = None
        self.parts, self.has_issued_parts = {}, False


class No(Exception):
    def __init__(self, status: int, message: str, **details: Any) -> None:
        super().__init__(message)
        self.status, self.body = status, {"error": {"code": f"E{status}", "message": message, "details": details}}


class Pretend:
    """`runs` are the deleted_at by run; `objects` the bytes by key; `asked` is every call, those that failed too."""

    def __init__(self) -> None:
        self.runs: dict[str, str | None] = {}
        self.records: dict[int, Record] = {}
        self.objects: dict[str, bytes] = {}
        self.events: dict[str, dict[str, Any]] = {}
        self.asked: list[tuple[str, str]] = []
        self._count = 0

    def stored(self) -> list[Record]:
        return [record for record in self.records.values() if record.uploaded_at is not None]

    def place_of(self, record: Record) -> str:
        """The path of the file that this is a version of."""
        return record.path if record.version_of is None else self.records[record.version_of].path

    # what the agent calls

    def answer(self, method: str, target: str, body: dict[str, Any]) -> dict[str, Any]:
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        for verb, pattern, call in ROUTES:
            if verb == method and (found := re.fullmatch(pattern, parts.path)):
                return call(self, *map(unquote, found.groups()), body or query)
        raise AssertionError(f"the agent calls {method} {target}")

    def report(self, body: dict[str, Any]) -> dict[str, Any]:
        run = body["run_id"]
        if self.runs.setdefault(run, None) is not None:
            raise No(409, "The run is deleted.", deleted_at=THEN)
        for line in body["detected_files"]:
            record = self._find(run, line["relative_path"])
            if record is None:
                self._make(run, line["relative_path"], created_at=line.get("file_created_at"))
        return {"run_id": run}

    def run(self, run: str, _: Any) -> dict[str, Any]:
        self._refuse_unknown(run)
        return {"run_id": run, "deleted_at": self.runs[run]}

    def list_runs(self, query: dict[str, Any]) -> dict[str, Any]:
        return _page([{"run_id": run, "deleted_at": deleted} for run, deleted in self.runs.items()], query)

    def list_files(self, run: str, query: dict[str, Any]) -> dict[str, Any]:
        self._refuse_unknown(run)
        return _page([self._wire(one) for one in self.records.values() if one.run == run], query)

    def request_url(self, run: str, body: dict[str, Any]) -> dict[str, Any]:
        self._refuse_unknown(run)
        if self.runs[run] is not None:
            raise No(409, "The run is deleted.", deleted_at=THEN)
        find = self._find_or_make_version if body.get("new_version") else self._find_or_make
        record = find(run, body)
        if record.deleted_at is not None:
            raise No(409, "The file was dismissed.", file_id=record.id, deleted_at=THEN)
        if record.uploaded_at is not None:
            if (record.size, record.sha256, record.crc32) != (body["size_bytes"], body["sha256"], body["crc32"]):
                raise No(409, "Other bytes.", file_id=record.id, size_bytes=record.size, sha256=record.sha256)
            return {"file_id": record.id, "already_uploaded": True}
        record.declare(body)
        if record.key is None:
            record.key = f"key-{self._next()}"
        elif self._is_there(record):
            record.uploaded_at = THEN
            return {"file_id": record.id, "already_uploaded": True}
        if body["size_bytes"] >= IN_PARTS_FROM:
            record.upload_id = record.upload_id or f"upload-{self._next()}"
            ticket = {"upload_id": record.upload_id, "part_size": PART_SIZE}
            return {"file_id": record.id, "already_uploaded": False, **ticket}
        url = f"http://store/{record.key}/{record.size}/{record.crc32}"
        return {"file_id": record.id, "already_uploaded": False, "upload_url": url, "headers": {}}

    def change(self, file_id: str, body: dict[str, Any]) -> dict[str, Any]:
        record = self._active(file_id)
        record.is_asked_for = False
        if record.uploaded_at is None and body["status"] == "uploaded":
            if not self._is_there(record):
                raise No(409, "The store has no bytes of this file yet.", file_id=record.id)
            record.uploaded_at = THEN
        return self._wire(record)

    def sign_parts(self, file_id: str, body: dict[str, Any]) -> dict[str, Any]:
        record, [part] = self._active(file_id), body["parts"]
        self._refuse_other_upload(record, body)
        if record.uploaded_at is not None:
            raise No(409, "It is stored.", file_id=record.id)
        record.has_issued_parts = True
        number = part["part_number"]
        size = min(PART_SIZE, (record.size or 0) - (number - 1) * PART_SIZE)
        url = f"http://store/{record.id}:{record.upload_id}:{number}/{size}/{part['crc32']}"
        return {"parts": [{"part_number": number, "upload_url": url, "headers": {}}]}

    def complete(self, file_id: str, body: dict[str, Any]) -> dict[str, Any]:
        record = self._active(file_id)
        self._refuse_other_upload(record, body)
        if record.uploaded_at is None:
            sent = {part["part_number"]: part["etag"] for part in body["parts"]}
            if sent != {number: etag_of(data) for number, data in record.parts.items()}:
                raise No(409, "Another part is stored.", file_id=record.id)
            whole = b"".join(data for _, data in sorted(record.parts.items()))
            if len(whole) != record.size or _crc32(whole) != record.crc32:
                raise No(409, "The parts are another file.", file_id=record.id)
            self.objects[record.key or ""], record.uploaded_at = whole, THEN
        return self._wire(record)

    def abort(self, file_id: str, body: dict[str, Any]) -> dict[str, Any]:
        record = self._active(file_id)
        self._refuse_other_upload(record, body)
        record.forget_upload()
        return {}

    def list_asked(self, query: dict[str, Any]) -> dict[str, Any]:
        waiting = [one for one in self.records.values() if one.is_asked_for and self._is_wanted(one)]
        return _page([{"id": one.id, "run_id": one.run, "relative_path": one.path} for one in waiting], query)

    def ask_for_everything(self) -> None:
        """A person did, on the pages of the runs."""
        for record in self.records.values():
            record.is_asked_for = self._is_wanted(record)

    def _is_wanted(self, record: Record) -> bool:
        return (record.uploaded_at, record.deleted_at, self.runs[record.run]) == (None, None, None)

    def take_events(self, body: dict[str, Any]) -> dict[str, Any]:
        self.events |= {event["id"]: event for event in body["events"]}
        return {}

    # the store

    def put(self, path: str, data: bytes) -> int:
        """The status."""
        key, size, crc32 = path.lstrip("/").split("/")
        if (len(data), _crc32(data)) != (int(size), crc32):
            return 400
        if ":" not in key:
            if key in self.objects:
                return 412
            self.objects[key] = data
            return 200
        file_id, upload_id, number = key.split(":")
        record = self.records[int(file_id)]
        if record.upload_id != upload_id or record.uploaded_at is not None:
            return 404
        record.parts[int(number)] = data
        return 200

    # what holds

    def _find(self, run: str, path: str) -> Record | None:
        return next((one for one in self.records.values() if (one.run, one.path) == (run, path)), None)

    def _make(self, run: str, path: str, **known: Any) -> Record:
        record = Record(self._next(), run, path, **known)
        self.records[record.id] = record
        return record

    def _find_or_make(self, run: str, body: dict[str, Any]) -> Record:
        return self._find(run, body["relative_path"]) or self._make(run, body["relative_path"])

    def _find_or_make_version(self, run: str, body: dict[str, Any]) -> Record:
        known = self._find_or_make(run, body)
        first = known if known.version_of is None else self.records[known.version_of]
        if first.uploaded_at is None:
            return known
        versions = [one for one in self.records.values() if first.id in (one.id, one.version_of)]
        same = [one for one in versions if (one.size, one.sha256) == (body["size_bytes"], body["sha256"])]
        waiting = [one for one in versions if one.uploaded_at is None and one.deleted_at is None]
        if same or waiting:
            return (sorted(same, key=lambda one: one.uploaded_at is None) or waiting)[0]
        number = max(one.version for one in versions) + 1
        while self._find(run, _version_path(first.path, number)):
            number += 1
        return self._make(run, _version_path(first.path, number), version=number, version_of=first.id)

    def _active(self, file_id: str) -> Record:
        record = self.records[int(file_id)]
        if self.runs[record.run] is not None:
            raise No(409, "The run is deleted.", deleted_at=THEN)
        if record.deleted_at is not None:
            raise No(409, "The file was dismissed.", file_id=record.id, deleted_at=THEN)
        return record

    def _refuse_unknown(self, run: str) -> None:
        if run not in self.runs:
            raise No(404, "There is no such run.")

    def _refuse_other_upload(self, record: Record, body: dict[str, Any]) -> None:
        if record.upload_id != body["upload_id"]:
            raise No(409, "This is not the open upload.", file_id=record.id)

    def _is_there(self, record: Record) -> bool:
        data = self.objects.get(record.key or "")
        return data is not None and (len(data), _crc32(data)) == (record.size, record.crc32)

    def _wire(self, record: Record) -> dict[str, Any]:
        return {
            "id": record.id, "relative_path": record.path, "version_of": record.version_of, "size_bytes": record.size,
            "sha256": record.sha256, "uploaded_at": record.uploaded_at, "file_created_at": record.created_at,
        }  # fmt: skip

    def _next(self) -> int:
        self._count += 1
        return self._count


API = "/api/v1"
RUNS = f"{API}/instruments/reader/runs"
ROUTES: list[tuple[str, str, Callable[..., dict[str, Any]]]] = [
    ("POST", RUNS, Pretend.report),
    ("GET", RUNS, Pretend.list_runs),
    ("GET", f"{RUNS}/([^/]+)", Pretend.run),
    ("GET", f"{RUNS}/([^/]+)/files", Pretend.list_files),
    ("POST", f"{RUNS}/([^/]+)/request-upload-url", Pretend.request_url),
    ("PATCH", rf"{API}/files/(\d+)", Pretend.change),
    ("POST", rf"{API}/files/(\d+)/multipart-upload/part-urls", Pretend.sign_parts),
    ("POST", rf"{API}/files/(\d+)/multipart-upload/complete", Pretend.complete),
    ("DELETE", rf"{API}/files/(\d+)/multipart-upload", Pretend.abort),
    ("GET", rf"{API}/watchers/[^/]+/upload-queue", Pretend.list_asked),
    ("POST", rf"{API}/watchers/[^/]+/events", Pretend.take_events),
]


def _page(rows: list[dict[str, Any]], query: dict[str, Any]) -> dict[str, Any]:
    page = int(query["page"])
    return {
        "data": rows[(page - 1) * PER_PAGE : page * PER_PAGE],
        "pagination": {"total_pages": max(1, -(-len(rows) // PER_PAGE))},
    }


def _version_path(path: str, number: int) -> str:
    stem, dot, end = path.rpartition(".")
    return f"{stem}~{number}.{end}" if dot else f"{path}~{number}"


def etag_of(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def _crc32(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}"
