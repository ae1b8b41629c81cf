"""What the service told of runs, files, instruments and changes, with types. `raw` has all of it, newer fields too."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from instrument_data.times import parse_moment

Raw = Mapping[str, Any]


class Record:
    """Read-only attributes over an object of the interface."""

    def __init__(self, raw: Raw) -> None:
        self.raw: dict[str, Any] = dict(raw)

    def __getattr__(self, name: str) -> Any:
        """A field that is newer than this library."""
        if name.startswith("_") or name == "raw":
            raise AttributeError(name)
        try:
            return self.raw[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name}") from None

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.raw == other.raw

    __hash__ = None  # type: ignore[assignment]  # what a record holds may change


class RunRecord(Record):
    @property
    def id(self) -> str:
        return self.raw["id"]

    @property
    def run_id(self) -> str:
        """The run's name on its instrument."""
        return self.raw["run_id"]

    @property
    def instrument_id(self) -> str:
        return self.raw["instrument_id"]

    @property
    def status(self) -> str:
        """pending_upload, uploaded, processing, completed, failed, stalled or empty."""
        return self.raw["status"]

    @property
    def metadata(self) -> dict[str, Any]:
        """What reading found in the files, overlaid by what people and scripts wrote."""
        return self.raw["metadata"]

    @property
    def tags(self) -> list[str]:
        return self.raw["tags"]

    @property
    def acquired_at(self) -> datetime | None:
        return parse_moment(self.raw["acquired_at"])

    @property
    def created_at(self) -> datetime | None:
        return parse_moment(self.raw["created_at"])

    @property
    def updated_at(self) -> datetime | None:
        return parse_moment(self.raw["updated_at"])

    @property
    def deleted_at(self) -> datetime | None:
        return parse_moment(self.raw["deleted_at"])

    @property
    def ran_by(self) -> list[str]:
        """The names of those who claimed the run."""
        return [one["display_name"] for one in self.raw["attributions"]]

    @property
    def file_count(self) -> int:
        return self.raw["file_count"]

    @property
    def size_bytes(self) -> int:
        return self.raw["total_size_bytes"]

    def __repr__(self) -> str:
        return f"<Run {self.run_id} of {self.instrument_id}, {self.status}>"


class FileRecord(Record):
    @property
    def id(self) -> int:
        return self.raw["id"]

    @property
    def filename(self) -> str:
        return self.raw["filename"]

    @property
    def relative_path(self) -> str:
        return self.raw["relative_path"]

    @property
    def size_bytes(self) -> int | None:
        return self.raw["size_bytes"]

    @property
    def content_type(self) -> str | None:
        return self.raw["content_type"]

    @property
    def category(self) -> str:
        """raw or processed."""
        return self.raw["category"]

    @property
    def status(self) -> str:
        return self.raw["status"]

    @property
    def sha256(self) -> str | None:
        return self.raw.get("sha256")

    @property
    def crc32(self) -> str | None:
        return self.raw.get("crc32")

    @property
    def metadata(self) -> dict[str, Any]:
        return self.raw["metadata"]

    def __repr__(self) -> str:
        return f"<File {self.relative_path}, {self.size_bytes} bytes, {self.status}>"


class Instrument(Record):
    @property
    def id(self) -> str:
        return self.raw["id"]

    @property
    def display_name(self) -> str:
        return self.raw["display_name"]

    @property
    def status(self) -> str:
        return self.raw["status"]

    def __repr__(self) -> str:
        return f"<Instrument {self.id}, {self.display_name}, {self.status}>"


class Project(Record):
    @property
    def id(self) -> str:
        return self.raw["id"]

    @property
    def name(self) -> str:
        return self.raw["name"]

    @property
    def is_archived(self) -> bool:
        return self.raw.get("archived_at") is not None

    def __repr__(self) -> str:
        return f"<Project {self.name}>"


class ShareLinkRecord(Record):
    """A link by which outsiders read one run."""

    @property
    def id(self) -> str:
        return self.raw["id"]

    @property
    def url(self) -> str | None:
        """The address to send: told once, to whoever made it."""
        return self.raw.get("url")

    @property
    def created_at(self) -> datetime | None:
        return parse_moment(self.raw["created_at"])

    @property
    def expires_at(self) -> datetime | None:
        return parse_moment(self.raw["expires_at"])

    @property
    def made_by(self) -> str:
        """The name of the person or token."""
        person, token = self.raw.get("made_by"), self.raw.get("made_by_token")
        return person["display_name"] if person else token["name"] if token else ""

    @property
    def open_count(self) -> int:
        return self.raw["open_count"]

    @property
    def last_opened_at(self) -> datetime | None:
        return parse_moment(self.raw["last_opened_at"])

    def __repr__(self) -> str:
        return f"<ShareLink {self.url or self.id} until {self.raw['expires_at']}, opened {self.open_count} times>"


class DatasetRecord(Record):
    """One table of numbers that reading found in a file."""

    @property
    def id(self) -> str:
        return self.raw["id"]

    @property
    def name(self) -> str:
        return self.raw["name"]

    @property
    def kind(self) -> str:
        """spectrum, chromatogram, time_series, plate, events or table."""
        return self.raw["kind"]

    @property
    def columns(self) -> list[dict[str, Any]]:
        """{name, type, unit, role, title} each."""
        return self.raw["columns"]

    @property
    def row_count(self) -> int:
        return self.raw["row_count"]

    def __repr__(self) -> str:
        return f"<Dataset {self.name} of {self.raw['run_id']}, {self.row_count} rows>"


class Change(Record):
    """Something that happened. `position` is where to go on from: `lab.changes(after=change.position)`."""

    @property
    def position(self) -> int | str:
        return self.raw["position"]

    @property
    def type(self) -> str:
        """run.created, run.completed, file.uploaded …"""
        return self.raw["type"]

    @property
    def at(self) -> datetime | None:
        return parse_moment(self.raw["at"])

    @property
    def instrument_id(self) -> str | None:
        return self.raw.get("instrument_id")

    @property
    def run_id(self) -> str | None:
        return self.raw.get("run_id")

    def __repr__(self) -> str:
        return f"<Change {self.position} {self.type} {self.instrument_id}/{self.run_id}>"
