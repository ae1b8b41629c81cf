"""A run's metadata as tags, in the order in which people ask: theirs, the technique's; the numbers file by file.

Tags that a filter can find lead to the runs that share them. What counts and measures is told of one file at a time:
a union over the files would say of `rows` something that is true of none.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.http import urlencode

from dashboard.runs.rows import format_metadata_value
from files.choices import FileCategory
from files.models import File
from processing.declarations import list_declared_facts
from processing.models import ProcessingJob
from processing.readings import Fact
from runs.metadata_terms import is_filterable_key
from runs.models import Run

MAX_VALUES, MAX_FILES = 200, 20
MAX_LINKED_CHARACTERS, MAX_SHOWN_CHARACTERS = 500, 300
FOLDED_FROM = 9  # so many values of one key are a count that unfolds
PEOPLE_KEYS = (
    "experiment",
    "experiment_title",
    "project",
    "sample",
    "sample_id",
    "sample_name",
    "specimen",
    "title",
    "plate_id",
    "plate",
    "analyst",
    "operator",
    "owner",
    "origin",
    "institution",
    "date",
    "measured_from",
    "measured_to",
)
TECHNIQUE_KEYS = (
    "technique",
    "experiment_type",
    "detection_type",
    "method",
    "instrument_model",
    "instrument",
    "cytometer",
    "manufacturer",
    "serial_number",
    "device_identifier",
    "software",
    "software_version",
    "nucleus",
    "solvent",
    "observe_frequency_mhz",
    "wavelength_nm",
    "target",
    "marker",
    "channel",
    "plate_format",
)
STATISTICS_IN_WORDS = {
    "format",
    "encoding",
    "x_unit",
    "y_unit",
    "dtype",
    "data_type",
    "begin",
    "end",
    "sheet",
    "column_names",
    "assumed_time_zone",
}
TOLD_ELSEWHERE = {"warnings", "degraded", "vendor_candidates"}  # of a file, in its row


@dataclass(frozen=True)
class Value:
    text: str
    href: str  # empty where no filter finds it


@dataclass(frozen=True)
class Tag:
    """A key with its values: one tag each, or a count that unfolds."""

    key: str
    values: Sequence[Value]
    unit: str = ""  # as the type that read it declares

    @property
    def is_folded(self) -> bool:
        return len(self.values) >= FOLDED_FROM


@dataclass(frozen=True)
class FileTags:
    path: str
    tags: Sequence[Tag]


@dataclass(frozen=True)
class TagGroups:
    people: Sequence[Tag]
    technique: Sequence[Tag]
    files: Sequence[FileTags]
    files_left_out: int

    def __bool__(self) -> bool:
        return bool(self.people or self.technique or self.files)


def group_tags(run: Run) -> TagGroups:
    """What people wrote and what files say about their work, then the technique, then the numbers of each file."""
    said = run.caller_metadata
    found = {key: value for key, value in run.metadata.items() if key not in said and not is_statistic(key, value)}
    people = {**said, **{key: found[key] for key in PEOPLE_KEYS if key in found}}
    technique = [key for key in TECHNIQUE_KEYS if key in found]
    others = [key for key in found if key not in PEOPLE_KEYS and key not in technique]
    jobs = list_readings(run)
    declared = list_declared_facts(job.processor for job in jobs)
    files = list_file_tags(run, jobs, declared=declared)
    told = {key: found[key] for key in (*technique, *others)}
    return TagGroups(
        build_tags(people, instrument=run.instrument_id, declared=declared),
        build_tags(put_in_order(told, declared), instrument=run.instrument_id, declared=declared),
        files[:MAX_FILES],
        max(0, len(files) - MAX_FILES),
    )


def put_in_order(facts: Mapping[str, Any], declared: Iterable[str]) -> dict[str, Any]:
    """Those that a plug-in declares first, in its order."""
    return {key: facts[key] for key in (*declared, *facts) if key in facts}


def is_statistic(key: str, value: Any) -> bool:
    """Whether it counts or measures one file; what people look for by number is none."""
    if key in PEOPLE_KEYS or key in TECHNIQUE_KEYS:
        return False
    values = value if isinstance(value, list) else [value]
    return key in STATISTICS_IN_WORDS or not any(isinstance(one, str) for one in values)


def list_readings(run: Run) -> list[ProcessingJob]:
    """Of the files that were read, in the order of the file list; one more than are shown at most."""
    read = File.objects.filter(run=run, category=FileCategory.RAW).active()
    jobs = ProcessingJob.objects.filter(file__in=read).select_related("file")
    chosen = jobs.only("run_facts", "processor", "file__relative_path", "file__extracted")
    return list(chosen.order_by("file__natural_key", "file_id")[: MAX_FILES + 1])


def list_file_tags(run: Run, jobs: Sequence[ProcessingJob], *, declared: Mapping[str, Fact]) -> list[FileTags]:
    told = ((job.file, put_in_order(select_statistics(job), declared)) for job in jobs)
    return [
        FileTags(file.relative_path, build_tags(facts, instrument=run.instrument_id, declared=declared))
        for file, facts in told
        if facts
    ]


def select_statistics(job: ProcessingJob) -> dict[str, Any]:
    own = {key: value for key, value in job.file.extracted.items() if key not in TOLD_ELSEWHERE}
    return {key: value for key, value in job.run_facts.items() if is_statistic(key, value)} | own


def build_tags(metadata: Mapping[str, Any], *, instrument: str, declared: Mapping[str, Fact]) -> list[Tag]:
    return [
        Tag(
            key,
            list(list_values(key, value, instrument=instrument)),
            declared[key].unit if key in declared else "",
        )
        for key, value in metadata.items()
    ]


def list_values(key: str, value: Any, *, instrument: str) -> Iterable[Value]:
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in values):
        return [Value(json.dumps(value, ensure_ascii=False)[:MAX_SHOWN_CHARACTERS], "")]
    return [build_value(key, format_metadata_value(one), instrument=instrument) for one in values[:MAX_VALUES]]


def build_value(key: str, text: str, *, instrument: str) -> Value:
    is_found = is_filterable_key(key) and 0 < len(text) <= MAX_LINKED_CHARACTERS
    query = urlencode({f"metadata.{key}": text, "instrument_id": instrument})
    return Value(text[:MAX_SHOWN_CHARACTERS], f"/runs?{query}" if is_found else "")
