"""A run's facts, out of those of its files: the same whichever file was read first."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from files.models import File, FileCategory
from processing.facts import Fact
from processing.models import ProcessingJob
from processing.readings import MOST_FACT_BYTES, MOST_FACTS, MOST_VALUES
from runs.models import Run

Facts = Mapping[str, Any]
EARLIEST, LATEST = "measured_from", "measured_to"


def refresh_run(run: Run, *, before: Facts, after: Facts) -> None:
    """Bring a locked run's `extracted` up to date when the facts of one file have changed.

    What is only added is joined to what is there; where something went away, all files are asked.
    """
    if before == after:
        return
    with transaction.atomic():
        facts = joined([run.extracted, after]) if not before else joined(facts_of_files(run))
        if facts != run.extracted:
            run.extracted = facts
            run.save(update_fields=["extracted"])


def facts_of_files(run: Run) -> Iterable[Facts]:
    """Of every active raw file that was read, in the order of the files."""
    files = File.objects.filter(run=run, category=FileCategory.RAW).active()
    jobs = ProcessingJob.objects.filter(file__in=files).exclude(run_facts={}).order_by("file_id")
    return jobs.values_list("run_facts", flat=True).iterator()


def joined(many: Iterable[Facts]) -> dict[str, Any]:
    """The union of values, key by key: one value as itself, several as a sorted list of at most 200."""
    values: dict[str, set[Fact]] = {}
    for facts in many:
        for key, value in facts.items():
            known = values.setdefault(key, set())
            known.update(value if isinstance(value, list) else [value])
            if len(known) > 2 * MOST_VALUES:
                values[key] = set(in_order(known)[:MOST_VALUES])
    kept = {key: in_order(known)[:MOST_VALUES] for key, known in sorted(values.items())[:MOST_FACTS]}
    shown = {key: bounded(key, several) for key, several in kept.items() if several}
    return within_size(shown)


def bounded(key: str, several: list[Fact]) -> Any:
    """Times are a range, not a list of moments."""
    if key == EARLIEST:
        return several[0]
    if key == LATEST:
        return several[-1]
    return several[0] if len(several) == 1 else several


def in_order(values: Iterable[Fact]) -> list[Fact]:
    return sorted((value for value in values if value is not None), key=lambda value: (isinstance(value, str), value))


def within_size(facts: dict[str, Any]) -> dict[str, Any]:
    """The longest lists give way first."""
    sizes = {key: len(json.dumps(value)) + len(key) for key, value in facts.items()}
    kept = dict(facts)
    for key in sorted(sizes, key=lambda key: (-sizes[key], key)):
        if sum(sizes[kept_key] for kept_key in kept) <= MOST_FACT_BYTES:
            break
        del kept[key]
    return kept
