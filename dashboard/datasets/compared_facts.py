"""What is known of compared runs: a row for each fact, those that differ first."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from dashboard.runs.rows import format_metadata_value
from runs.models import Run

MAX_FACTS = 300


@dataclass(frozen=True)
class Fact:
    """`marks` are the values that stand apart from what most runs have: none where there is no such value."""

    name: str
    values: Sequence[str]
    marks: Sequence[bool]
    moments: Sequence[datetime | None] = ()  # of times, which are shown in the zone of whoever reads

    @property
    def differs(self) -> bool:
        return len(set(self.values)) > 1

    @property
    def lacks_majority(self) -> bool:
        return self.differs and not any(self.marks)

    @property
    def cells(self) -> list[tuple[str, bool, datetime | None]]:
        return list(zip(self.values, self.marks, self.moments or [None] * len(self.values), strict=True))


def list_facts(runs: Sequence[Run]) -> list[Fact]:
    """At most MAX_FACTS keys of metadata, and what the service knows of each run."""
    keys = sorted({key for run in runs for key in run.metadata})[:MAX_FACTS]
    moments = [run.acquired_at for run in runs]
    times = compare("Acquired at", [f"{at:%Y-%m-%d %H:%M} UTC" if at else "" for at in moments])
    facts = [
        compare("Instrument", [run.instrument.display_name for run in runs]),
        replace(times, moments=moments),
        compare("Ran by", [", ".join(claim.display_name for claim in run.attributions) for run in runs]),
        compare("Tags", [", ".join(run.tags) for run in runs]),
        *(compare(key, [format_fact(run.metadata.get(key)) for run in runs]) for key in keys),
    ]
    return sorted(facts, key=lambda fact: not fact.differs)


def format_fact(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {format_metadata_value(one)}" for key, one in list(value.items())[:20])
    return format_metadata_value(value)


def compare(name: str, values: Sequence[str]) -> Fact:
    ((usual, times), *others) = Counter(values).most_common()
    if not others:
        return Fact(name, values, [False] * len(values))
    has_usual = times > 1 and others[0][1] < times
    return Fact(name, values, [has_usual and value != usual for value in values])


def describe_facts(facts: Sequence[Fact], runs: Sequence[Run]) -> dict[str, Any]:
    """An ids-table/1 document, for CSV."""
    columns = [{"name": name, "unit": None} for name in ("Fact", *(run.run_id for run in runs))]
    rows = [[fact.name, *fact.values] for fact in facts]
    return {"format": "ids-table/1", "columns": columns, "rows": rows, "total_rows": len(rows)}
