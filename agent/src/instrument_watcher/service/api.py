"""The routes of the service that the agent calls, one function each."""

import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from instrument_watcher.service.connection import Connection
from instrument_watcher.service.errors import ServiceAway
from instrument_watcher.service.store import OvertakenUpload

QUEUE_PAGE = 100


@dataclass(frozen=True)
class Ticket:
    """Where the bytes of a file go; nowhere, when they are there already."""

    file_id: int
    already_uploaded: bool
    upload_url: str | None = None
    headers: dict[str, str] | None = None
    upload_id: str | None = None
    part_size: int | None = None


@dataclass(frozen=True)
class QueuedFile:
    """A file that somebody asked for."""

    file_id: int
    run_id: str
    relative_path: str


@dataclass(frozen=True)
class WantedConfig:
    """What admins want this watcher to run."""

    text: str
    checksum: str
    updated_at: str
    is_waiting: bool


class Service:
    """Every method raises ServiceAway or Refused."""

    def __init__(self, connection: Connection) -> None:
        self._http = connection

    def whoami(self) -> dict[str, Any]:
        return self._http.get("whoami")

    def instruments(self) -> list[dict[str, Any]]:
        return list(self._pages("instruments"))

    def instrument(self, instrument_id: str) -> dict[str, Any]:
        return self._http.get(f"instruments/{instrument_id}")

    def create_instrument(self, instrument_id: str, *, display_name: str | None) -> dict[str, Any]:
        return self._http.post("instruments", {"id": instrument_id, **_given(display_name=display_name)})

    def register(self, instrument_id: str, **facts: str) -> dict[str, Any]:
        return self._http.post("watchers/register", {"instrument_id": instrument_id, **facts})

    def enrol(self, *, code: str, hostname: str, os_info: str, agent_version: str, instance_id: str) -> dict[str, Any]:
        body = {
            "code": code,
            "hostname": hostname,
            "os_info": os_info,
            "agent_version": agent_version,
            "instance_id": instance_id,
        }
        return self._http.post("enrol", body)

    def watcher(self, watcher_id: str) -> dict[str, Any]:
        return self._http.get(f"watchers/{watcher_id}")

    def watcher_of(self, instrument_id: str) -> dict[str, Any] | None:
        """The active watcher of an instrument, if it has one."""
        return next(self._pages("watchers", instrument_id=instrument_id), None)

    def heartbeat(self, watcher_id: str, **facts: Any) -> dict[str, Any]:
        return self._http.post(f"watchers/{watcher_id}/heartbeat", facts)

    def send_events(self, watcher_id: str, events: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return self._http.post(f"watchers/{watcher_id}/events", {"events": list(events)})

    def push_config(
        self, watcher_id: str, *, config_yaml: str, checksum: str, wanted_checksum: str | None = None
    ) -> dict[str, Any]:
        body = {"config_yaml": config_yaml, "checksum": checksum, **_given(wanted_checksum=wanted_checksum)}
        return self._http.put(f"watchers/{watcher_id}/config", body)

    def wanted_config(self, watcher_id: str) -> WantedConfig:
        answer = self._http.get(f"watchers/{watcher_id}/wanted-config")
        is_waiting = answer["state"] == "waiting"
        return WantedConfig(answer["config_yaml"], answer["checksum"], answer["updated_at"], is_waiting)

    def upload_queue(self, watcher_id: str) -> Iterator[QueuedFile]:
        for row in self._pages(f"watchers/{watcher_id}/upload-queue"):
            yield QueuedFile(row["id"], row["run_id"], row["relative_path"])

    def update_check(self, watcher_id: str) -> dict[str, Any]:
        return self._http.get(f"watchers/{watcher_id}/update-check")

    def report_run(self, instrument_id: str, run: dict[str, Any]) -> dict[str, Any]:
        return self._http.post(f"instruments/{instrument_id}/runs", run)

    def run(self, instrument_id: str, run_id: str) -> dict[str, Any]:
        return self._http.get(f"instruments/{instrument_id}/runs/{quote(run_id)}")

    def runs_page(self, instrument_id: str, *, page: int) -> tuple[list[dict[str, Any]], int]:
        """A page of the runs of an instrument, deleted ones too, oldest first; and how many pages there are."""
        answer = self._http.get(
            f"instruments/{instrument_id}/runs",
            page=page, per_page=QUEUE_PAGE, sort="created_at", order="asc", include_deleted="true",
        )  # fmt: skip
        return answer["data"], int(answer["pagination"]["total_pages"])

    def raw_files(self, instrument_id: str, run_id: str) -> Iterator[dict[str, Any]]:
        """What a run has from its instrument."""
        return self._pages(f"instruments/{instrument_id}/runs/{quote(run_id)}/files", category="raw")

    def request_upload_url(self, instrument_id: str, run_id: str, file: dict[str, Any]) -> Ticket:
        answer = self._http.post(f"instruments/{instrument_id}/runs/{quote(run_id)}/request-upload-url", file)
        return Ticket(
            answer["file_id"],
            answer["already_uploaded"],
            answer.get("upload_url"),
            answer.get("headers"),
            answer.get("upload_id"),
            answer.get("part_size"),
        )

    def part_url(self, file_id: int, *, upload_id: str, number: int, crc32: str) -> Ticket:
        body = {"upload_id": upload_id, "parts": [{"part_number": number, "crc32": crc32}]}
        part = self._http.post(f"files/{file_id}/multipart-upload/part-urls", body)["parts"][0]
        return Ticket(file_id, False, part["upload_url"], part["headers"])

    def complete_multipart(
        self, file_id: int, *, upload_id: str, etags: dict[int, str], announced: Mapping[str, Any]
    ) -> dict[str, Any]:
        """As confirm_upload."""
        parts = [{"part_number": number, "etag": etag} for number, etag in sorted(etags.items())]
        body = {"upload_id": upload_id, "parts": parts}
        return _stored(self._http.post(f"files/{file_id}/multipart-upload/complete", body), announced)

    def abort_multipart(self, file_id: int, *, upload_id: str) -> dict[str, Any]:
        """Its parts are dropped; the next request for the file begins another one."""
        return self._http.delete(f"files/{file_id}/multipart-upload", {"upload_id": upload_id})

    def confirm_upload(self, file_id: int, *, announced: Mapping[str, Any]) -> dict[str, Any]:
        """The record of what is stored. Raises OvertakenUpload where that is not what was announced."""
        return _stored(self._http.patch(f"files/{file_id}", {"status": "uploaded"}), announced)

    def give_up_upload(self, file_id: int) -> dict[str, Any]:
        """Take a file off the queue that cannot be served."""
        return self._http.patch(f"files/{file_id}", {"status": "detected"})

    def _pages(self, path: str, **query: str) -> Iterator[dict[str, Any]]:
        page, pages = 1, 1
        while page <= pages:
            answer = self._http.get(path, page=page, per_page=QUEUE_PAGE, **query)
            yield from answer["data"]
            page, pages = page + 1, answer["pagination"]["total_pages"]


def quote(run_id: str) -> str:
    """A run id as one segment of a path."""
    return urllib.parse.quote(run_id, safe="")


def _stored(record: Any, announced: Mapping[str, Any]) -> dict[str, Any]:
    """The record of a file that is stored: an empty answer is no word of that, whoever gave it."""
    if not isinstance(record, dict) or record.get("uploaded_at") is None:
        raise ServiceAway("The service does not say that the file is stored.")
    if any(record.get(name) not in (None, value) for name, value in announced.items()):
        raise OvertakenUpload("Somebody else sent other bytes for it meanwhile.")
    return record


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
