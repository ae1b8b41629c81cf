"""What a configuration would do with the files that are there now; nothing is written or sent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from instrument_watcher.config.model import TEMPORARY_FILES, Grouping
from instrument_watcher.journal.rows import join_path
from instrument_watcher.watching.grouping import group_by
from instrument_watcher.watching.names import path_fault
from instrument_watcher.watching.patterns import Patterns
from instrument_watcher.watching.scanning import walk

MOST_FILES = 200_000  # a preview of a larger folder is cut off there


@dataclass(frozen=True, slots=True)
class Candidate:
    path: str
    size: int
    mtime_ns: int


@dataclass
class Survey:
    """The files of a folder, told apart by the patterns."""

    wanted: list[Candidate] = field(default_factory=list)
    other: list[Candidate] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    is_cut_off: bool = False


@dataclass
class PlannedRun:
    run_id: str
    files: int = 0
    size: int = 0


@dataclass
class Plan:
    """The runs that the files would make, and the files that would make none, with the reason."""

    runs: list[PlannedRun]
    refused: list[tuple[str, str]]


def survey_folder(
    root: Path, *, wanted: Sequence[str], ignored: Sequence[str] = TEMPORARY_FILES, most: int = MOST_FILES
) -> Survey:
    patterns, survey = Patterns(wanted=wanted, ignored=ignored), Survey()
    for folder in walk(root, patterns=patterns, failed=lambda path, _: survey.unreadable.append(path or ".")):
        for name, (size, mtime_ns, _) in sorted(folder.files.items()):
            path = join_path(folder.path, name)
            kind = survey.wanted if patterns.is_wanted(path) else survey.other
            kind.append(Candidate(path, size, mtime_ns))
        if len(survey.wanted) + len(survey.other) > most:
            survey.is_cut_off = True
            break
    return survey


def plan_runs(files: Iterable[Candidate], grouping: Grouping) -> Plan:
    """The runs, the one with the latest file first."""
    group, runs, refused = group_by(grouping), dict[str, PlannedRun](), list[tuple[str, str]]()
    for file in sorted(files, key=lambda file: file.mtime_ns, reverse=True):
        fault = path_fault(file.path)
        found = group(file.path)
        if fault is not None or found.run_id is None:
            refused.append((file.path, fault or found.reason or ""))
            continue
        run = runs.setdefault(found.run_id, PlannedRun(found.run_id))
        run.files += 1
        run.size += file.size
    return Plan(list(runs.values()), refused)
