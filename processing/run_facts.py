"""A run's facts, out of those of its files: the same whichever file was read first."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import transaction

from files.choices import FileCategory
from files.models import File
from processing.facts import Fact
from processing.models import ProcessingJob
from processing.readings import MAX_FACTS, MAX_FACTS_BYTES, MAX_VALUES_PER_FACT
from runs.models import Run
from wire.queries.walking import walk_rows

FactValues = Mapping[str, Any]
ROWS_PER_FETCH = 500
EARLIEST_KEY, LATEST_KEY = "measured_from", "measured_to"


def refresh_run_facts(run: Run, *, before: FactValues, after: FactValues) -> None:
    """Bring a locked run's `extracted` up to date when the facts of one file have changed.

    What is only added is joined to what is there; where something went away, all files are asked.
    """
    if before == after:
        return
    with transaction.atomic():
        facts = join_facts([run.extracted, after]) if not before else join_facts(list_facts_of_files(run))
        if facts != run.extracted:
            run.extracted = facts
            run.save(update_fields=["extracted"])


def list_facts_of_files(run: Run) -> Iterable[FactValues]:
    """Of every active raw file that was read, in the order of the files."""
    files = File.objects.filter(run=run, category=FileCategory.RAW).active()
    jobs = ProcessingJob.objects.filter(file__in=files).exclude(run_facts={})
    rows = walk_rows(jobs.values_list("file_id", "run_facts"), by="file_id", size=ROWS_PER_FETCH)
    return (facts for _, facts in rows)


def join_facts(many: Iterable[FactValues]) -> dict[str, Any]:
    """The union of values, key by key: one value as itself, several as a sorted list of at most 200."""
    values: dict[str, set[Fact]] = {}
    for facts in many:
        for key, value in facts.items():
            known = values.setdefault(key, set())
            known.update(value if isinstance(value, list) else [value])
            if len(known) > 2 * MAX_VALUES_PER_FACT:
                values[key] = set(sort_values(known)[:MAX_VALUES_PER_FACT])
    kept = {key: sort_values(known)[:MAX_VALUES_PER_FACT] for key, known in sorted(values.items())[:MAX_FACTS]}
    shown = {key: reduce_values(key, several) for key, several in kept.items() if several}
    return limit_size(shown)


def reduce_values(key: str, several: list[Fact]) -> Any:
    """Times are a range, not a list of moments."""
    if key == EARLIEST_KEY:
        return several[0]
    if key == LATEST_KEY:
        return several[-1]
    return several[0] if len(several) == 1 else several


def sort_values(values: Iterable[Fact]) -> list[Fact]:
    return sorted((value for value in values if value is not None), key=lambda value: (isinstance(value, str), value))


def limit_size(facts: dict[str, Any]) -> dict[str, Any]:
    """The longest lists give way first."""
    sizes = {key: len(json.dumps(value)) + len(key) for key, value in facts.items()}
    kept = dict(facts)
    for key in sorted(sizes, key=lambda key: (-sizes[key], key)):
        if sum(sizes[kept_key] for kept_key in kept) <= MAX_FACTS_BYTES:
            break
        del kept[key]
    return kept
