"""The least and the greatest of a column of a run's datasets, from what was kept when they were written.

No Parquet file is opened. A run with several datasets of a name, one for each file, has the extreme of all of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models.fields.json import KeyTransform

from accounts.callers import Caller
from datasets.models import Dataset

PREFIX = "data."
EXTREMES = {"min": min, "max": max}
NAME = re.compile(r"data\.([a-z][a-z0-9_]{0,62})\.([a-z][a-z0-9_]{0,62})\.(min|max)")
NUMBERS = {"float64", "float32", "int64"}
MAX_OFFERED = 60


@dataclass(frozen=True, order=True)
class Summary:
    """`data.plate.od600.max`: the greatest value of the column od600 of datasets named plate."""

    dataset: str
    column: str
    extreme: str

    @property
    def name(self) -> str:
        return f"{PREFIX}{self.dataset}.{self.column}.{self.extreme}"

    @property
    def title(self) -> str:
        return f"{self.dataset}.{self.column} {self.extreme}"


def read_summary(name: str) -> Summary | None:
    found = NAME.fullmatch(name)
    return Summary(*found.groups()) if found else None


def map_summaries(
    run_ids: Sequence[UUID], wanted: Sequence[Summary], *, by: Caller
) -> Mapping[tuple[UUID, str], float | str]:
    """By run and name of the summary, those that there are; one query, none where nothing is wanted."""
    if not wanted or not run_ids:
        return {}
    rows = Dataset.objects.visible_to(by).active()
    rows = rows.filter(run__in=list(run_ids), name__in=sorted({one.dataset for one in wanted}))
    kept = [KeyTransform(one.extreme, KeyTransform(one.column, "statistics")) for one in wanted]
    found: dict[tuple[UUID, str], float | str] = {}
    for run_id, dataset, *values in rows.values_list("run_id", "name", *kept):
        for one, value in zip(wanted, values, strict=True):
            if one.dataset == dataset and is_told(value):
                known = found.get((run_id, one.name), value)
                found[run_id, one.name] = EXTREMES[one.extreme](known, value) if is_like(known, value) else known
    return found


def is_told(value: object) -> bool:
    return isinstance(value, int | float | str) and not isinstance(value, bool)


def is_like(one: object, other: object) -> bool:
    return isinstance(one, str) == isinstance(other, str)


def list_summaries(run_ids: Iterable[UUID], *, by: Caller) -> list[Summary]:
    """Of the columns of numbers that these runs' datasets have, those of most of them first; one query."""
    rows = Dataset.objects.visible_to(by).active().filter(run__in=list(run_ids)).values_list("name", "columns")
    counts = Counter((name, one["name"]) for name, columns in rows for one in columns if one.get("type") in NUMBERS)
    often = sorted(counts, key=lambda pair: (-counts[pair], pair))[: MAX_OFFERED // len(EXTREMES)]
    return [Summary(*pair, extreme) for pair in often for extreme in ("max", "min")]
