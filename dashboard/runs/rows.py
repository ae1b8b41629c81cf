"""Runs as rows of a list: what each says, what may be done with it, and the facts worth a column."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from accounts.callers import Caller
from dashboard.runs.columns import Column
from files.thumbnails.keeping import ThumbnailLink
from processing.jobs import holds_waiting_files
from runs.addresses import run_address
from runs.models import Run
from runs.status import RunStatus

MAX_METADATA_COLUMNS, MAX_COLUMN_VALUE_CHARACTERS = 3, 40
MAX_OFFERED_KEYS = 50
NUMBER = re.compile(r"[+-]?[0-9]{1,12}(\.[0-9]{1,12})?")


@dataclass(frozen=True)
class Cell:
    """A row's place in a column; `text` is what metadata or a project say there, the rest is the run's own."""

    column: Column
    text: str = ""


@dataclass(frozen=True)
class RunRow:
    """One run as a list shows it. `allows` are the actions that the selection bar may offer for it."""

    run: Run
    status: RunStatus
    reason: str
    allows: str
    cells: Sequence[Cell]
    thumbnail: ThumbnailLink | None = None

    @property
    def href(self) -> str:
        return run_address(self.run)

    @property
    def key(self) -> str:
        return f"{self.run.instrument_id}/{self.run.run_id}"


def build_run_rows(
    runs: Sequence[Run],
    *,
    columns: Sequence[Column] = (),
    projects: Mapping[UUID, str] | None = None,
    thumbnails: Mapping[UUID, ThumbnailLink] | None = None,
    summaries: Mapping[tuple[UUID, str], float | str] | None = None,
    by: Caller,
    at: datetime,
) -> list[RunRow]:
    """`projects` are the names of those that a column shows, `summaries` what it says of datasets."""
    return [
        RunRow(
            run=run,
            status=run.status_at(at),
            reason=explain_status(run, at=at),
            allows=" ".join(list_allowed_actions(run, by=by)),
            cells=[Cell(column, _read_text(run, column, projects or {}, summaries or {})) for column in columns],
            thumbnail=(thumbnails or {}).get(run.pk),
        )
        for run in runs
    ]


def _read_text(
    run: Run, column: Column, projects: Mapping[UUID, str], summaries: Mapping[tuple[UUID, str], float | str]
) -> str:
    if column.summary:
        return format_summary(summaries.get((run.pk, column.name), ""))
    if column.key:
        return format_metadata_value(run.metadata.get(column.key))
    return projects.get(run.project_id, "") if column.name == "project" and run.project_id else ""


def format_summary(value: float | str) -> str:
    """With five digits that count, as a list has room for."""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def align_numbers(columns: Sequence[Column], runs: Sequence[Run]) -> list[Column]:
    """Metadata that says nothing but numbers on this page stands like the other numbers, its units below each other."""
    return [replace(one, kind="num dim") if one.key and _holds_numbers(one.key, runs) else one for one in columns]


def _holds_numbers(key: str, runs: Sequence[Run]) -> bool:
    texts = [text for run in runs if (text := format_metadata_value(run.metadata.get(key)))]
    return bool(texts) and all(NUMBER.fullmatch(text) for text in texts)


def list_metadata_keys(runs: Sequence[Run]) -> list[str]:
    """The keys that these runs have and a column can show, those of most runs first."""
    counts = Counter(key for run in runs for key, value in run.metadata.items() if format_metadata_value(value))
    return [key for key, _ in sorted(counts.items(), key=lambda one: (-one[1], one[0]))][:MAX_OFFERED_KEYS]


def explain_status(run: Run, *, at: datetime) -> str:
    """Why a run is not simply done, in one sentence; empty where there is nothing to explain."""
    files = f"{run.file_count} file{'s' if run.file_count != 1 else ''}"
    match run.status_at(at):
        case RunStatus.FAILED:
            return f"{run.n_failed} of {files} could not be read."
        case RunStatus.STALLED:
            return "Reading stopped giving signs of life."
        case RunStatus.PENDING_UPLOAD:
            return f"{run.n_pending} of {files} not here yet."
        case RunStatus.UPLOADED if run.n_completed:
            return f"{run.n_completed} of {files} read."
    return ""


def explain_kept_files(run: Run) -> tuple[str, str]:
    """A word in place of the status, and why: of a run whose other files nobody reads. Empty where some still wait."""
    if run.n_failed or run.n_pending or not run.n_uploaded or holds_waiting_files(run):
        return "", ""
    one = run.n_uploaded == 1
    if run.n_completed:
        return "Read", f"{run.n_uploaded:,} {'file is kept as it is' if one else 'files are kept as they are'}."
    return "Uploaded", f"Kept as {'it is: nothing here reads it' if one else 'they are: nothing here reads them'}."


def list_allowed_actions(run: Run, *, by: Caller) -> list[str]:
    if run.deleted_at is not None:
        return ["restore"]
    mine = by.user is not None and any(claim.id == by.user.pk for claim in run.attributions)
    stored = ["download", "combine", "reprocess"] if run.file_count > run.n_pending else []
    return ["unclaim" if mine else "claim", *stored, "tag", "untag", "project", "compare", "delete"]


def choose_metadata_columns(runs: Sequence[Run]) -> list[str]:
    """Up to three metadata keys that most of these runs have and that tell them apart."""
    values = [{key: format_metadata_value(value) for key, value in run.metadata.items()} for run in runs]
    counts = Counter(
        key for facts in values for key, value in facts.items() if 0 < len(value) <= MAX_COLUMN_VALUE_CHARACTERS
    )
    often = [key for key, count in counts.items() if count * 2 >= len(runs)]
    kinds = {key: len({facts.get(key) for facts in values}) for key in often}
    telling = [key for key in often if kinds[key] > 1]
    return sorted(telling, key=lambda key: (-counts[key], kinds[key] == len(runs), -kinds[key], key))[
        :MAX_METADATA_COLUMNS
    ]


def format_metadata_value(value: object) -> str:
    """A metadata value as a filter would name it; empty for what no filter can find."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ", ".join(format_metadata_value(item) for item in value[:5])
    return str(value) if isinstance(value, str | int | float) else ""
