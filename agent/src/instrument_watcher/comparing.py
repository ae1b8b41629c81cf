"""What the journal believes to be stored, compared with what the service says."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.service.api import Service
from instrument_watcher.service.errors import Refused, TokenRefused


@dataclass(frozen=True)
class Difference:
    row: FileRow
    what: str


@dataclass
class Comparison:
    """`differences` are few; what agrees is counted only."""

    agreeing: int
    differences: list[Difference]


def compare_with_service(journal: Journal, service: Service, *, instrument_id: str, prefix: str) -> Comparison:
    """Every uploaded file whose path begins so. Raises ServiceAway, TokenRefused."""
    rows = [row for row in journal.files.below(prefix) if row.state is FileState.UPLOADED]
    rows.sort(key=lambda row: row.run_id or "")
    result = Comparison(0, [])
    for run_id, of_run in groupby(rows, key=lambda row: row.run_id or ""):
        for row, what in _compare_run(list(of_run), _records(service, instrument_id, run_id)):
            if what is None:
                result.agreeing += 1
            else:
                result.differences.append(Difference(row, what))
    return result


def _records(service: Service, instrument_id: str, run_id: str) -> dict[int, dict[str, Any]]:
    try:
        return {record["id"]: record for record in service.raw_files(instrument_id, run_id)}
    except TokenRefused:
        raise
    except Refused:
        return {}


def _compare_run(rows: list[FileRow], records: dict[int, dict[str, Any]]) -> Iterator[tuple[FileRow, str | None]]:
    for row in rows:
        yield row, _fault(row, records.get(row.file_id or 0))


def _fault(row: FileRow, record: dict[str, Any] | None) -> str | None:
    if record is None:
        return "The service does not have it."
    if record["uploaded_at"] is None:
        return "The service knows it, and not its bytes."
    if row.sha256 is not None and record["sha256"] is not None and row.sha256 != record["sha256"]:
        return f"The service has other bytes ({record['sha256'][:12]}…, here {row.sha256[:12]}…)."
    return None
