"""Which datasets there are: of a run, of a file, of all runs that a search finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from uuid import UUID

from accounts.callers import Caller
from datasets.models import Dataset, DatasetKind, DatasetQuerySet, RunKey
from files.downloads import FilePurged
from files.records import find_file
from runs.lifecycle import find_run
from runs.models import Run
from runs.search import RunSearch, filter_runs
from wire.errors import NotFound, ValidationError
from wire.queries.compiled import CompiledQuery

MAX_NAMES, MAX_NEAR = 1_000, 10
PLACED_DATASET = CompiledQuery(
    lambda bound, dataset: Dataset.objects.with_places().within(bound).active().filter(pk=dataset)
)


class DatasetMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such dataset.")


class NameUnknown(ValidationError):
    """`kinds` are those of the names that there are."""

    def __init__(self, name: str, kinds: Mapping[str, str]) -> None:
        near = [one for one, kind in kinds.items() if kind == name]
        near += [one for one in get_close_matches(name, kinds, n=MAX_NEAR, cutoff=0.5) if one not in near]
        told = ", ".join(near[:MAX_NEAR] or list(kinds)[:MAX_NEAR])
        super().__init__(
            fields={"name": [f"No dataset is called {name}; {'near it' if near else 'there'} are {told}."]}
        )


@dataclass(frozen=True)
class DatasetFilter:
    """Several values of one member are alternatives; nothing said means all."""

    name: Sequence[str] = ()
    kind: Sequence[DatasetKind] = ()
    column: Sequence[str] = ()
    run: Sequence[RunKey] = ()


def find_dataset(dataset_id: UUID, *, by: Caller) -> Dataset:
    """Of a deleted run too. Raises DatasetMissing, FilePurged."""
    found = Dataset.objects.with_files().visible_to(by).active().filter(pk=dataset_id).first()
    return _require(found, dataset_id, by=by)


def find_rows(dataset_id: UUID, *, by: Caller) -> Dataset:
    """The same, with what reading its rows takes. Raises DatasetMissing, FilePurged."""
    return _require(PLACED_DATASET.first(by.instrument_ids, dataset_id), dataset_id, by=by)


def _require(found: Dataset | None, dataset_id: UUID, *, by: Caller) -> Dataset:
    if found is not None:
        return found
    purged = Dataset.objects.visible_to(by).filter(pk=dataset_id, file__purged_at__isnull=False)
    for dataset in purged.select_related("file"):
        raise FilePurged(dataset.file)
    raise DatasetMissing


def list_datasets_of_run(*, instrument: str, run_id: str, by: Caller) -> DatasetQuerySet:
    """In the order of the source files, then of names. Raises RunMissing."""
    return list_datasets_of(find_run(instrument=instrument, run_id=run_id, by=by))


def list_datasets_of(run: Run) -> DatasetQuerySet:
    """The same of a run that the caller was shown."""
    return Dataset.objects.filter(run=run).active().with_files().order_by("source_file_id", "name", "id")


def list_datasets_of_file(file_id: int, *, by: Caller) -> DatasetQuerySet:
    """By name. Raises FileMissing."""
    file = find_file(file_id, by=by)
    return Dataset.objects.filter(source_file=file).active().with_files().order_by("name", "id")


def refuse_unknown_name(name: str, *, by: Caller) -> None:
    """Nothing found under a name that no dataset has would be taken for "was not measured". Raises NameUnknown.

    Where there is no dataset at all, an empty table is the truth.
    """
    seen = Dataset.objects.visible_to(by).active()
    if seen.filter(name=name).exists():
        return
    if kinds := dict(seen.order_by("name").values_list("name", "kind").distinct()[:MAX_NAMES]):
        raise NameUnknown(name, kinds)


def search_datasets(search: RunSearch, *, only: DatasetFilter, by: Caller, at: datetime) -> DatasetQuerySet:
    """Of all runs that the search finds, the newest dataset first."""
    found = Dataset.objects.visible_to(by).active().filter(run__in=filter_runs(search, by=by, at=at))
    if only.name:
        found = found.filter(name__in=only.name)
    if only.kind:
        found = found.filter(kind__in=only.kind)
    if only.column:
        found = found.filter(column_names__overlap=list(only.column))
    if only.run:
        found = found.of_runs(only.run)
    return found.with_files().order_by("-created_at", "-id")


def search_one_of_each_name(search: RunSearch, *, only: DatasetFilter, by: Caller, at: datetime) -> DatasetQuerySet:
    """The newest of each name among them, by name."""
    found = search_datasets(search, only=only, by=by, at=at)
    newest = found.order_by("name", "-created_at", "-id").distinct("name").values("pk")
    return Dataset.objects.filter(pk__in=newest).with_files().order_by("name", "id")
