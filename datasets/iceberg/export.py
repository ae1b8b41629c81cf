"""Tables of the catalogue brought to what the service holds now: new datasets added, those that are gone taken out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING
from uuid import UUID

from datasets.iceberg import catalog as catalogue
from datasets.iceberg.fitting import build_schema, fit_columns, iceberg_types, read_types, types_of
from datasets.iceberg.origin import build_partitions, put_into_partition
from datasets.models import Dataset, DatasetQuerySet
from files.storage import object_store

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog
    from pyiceberg.io import FileIO
    from pyiceberg.manifest import DataFile
    from pyiceberg.table import Table, Transaction
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot

KEEP_SNAPSHOTS = timedelta(days=1)  # of files that are gone the bytes stay about as long
READERS = 8  # footers read at once
DAMAGED = "its Parquet file is missing or damaged"


@dataclass(frozen=True)
class LeftOut:
    dataset: Dataset
    reason: str


@dataclass
class TableExport:
    """What became of one table."""

    name: str
    datasets: int = 0
    added: int = 0
    removed: int = 0
    left_out: list[LeftOut] = field(default_factory=list)


@dataclass(frozen=True)
class NewFile:
    dataset: Dataset
    described: "DataFile | None"  # None where it cannot be read


def exported_datasets() -> DatasetQuerySet:
    """Those that searches find: of runs and files that are not deleted."""
    return Dataset.objects.active().filter(run__deleted_at=None, file__storage_key__isnull=False)


def list_names(catalog: "Catalog") -> list[str]:
    """Of tables that there are or should be."""
    found = exported_datasets().order_by().values_list("name", flat=True).distinct()
    return sorted(catalogue.list_tables(catalog) | set(found))


def export_tables(
    catalog: "Catalog", *, names: Sequence[str] = (), anew: bool = False, at: datetime
) -> Iterator[TableExport]:
    """One after the other, each in one change that readers see whole. `anew` forgets what the tables were.

    Raises StoreUnavailable, CommitFailedException where somebody else changed the table meanwhile, OSError.
    """
    for name in names or list_names(catalog):
        if anew and name in catalogue.list_tables(catalog):
            catalog.drop_table((catalogue.NAMESPACE, name))  # never purge_table: it would remove the datasets' files
        yield export_table(catalog, name, at=at)


def export_table(catalog: "Catalog", name: str, *, at: datetime) -> TableExport:
    wanted = list_addresses(name)
    table = open_table(catalog, name)
    present = list_files(table) if table is not None else {}
    gone = [file for address, file in present.items() if address not in wanted]
    new = load_datasets([pk for address, pk in wanted.items() if address not in present])
    done = TableExport(name, datasets=len(present) - len(gone), removed=len(gone))
    if new or gone:
        table = table or make_table(catalog, name, new)
        change_table(table, new, gone, done)
        forget_snapshots(table, before=at - KEEP_SNAPSHOTS)
    return done


def open_table(catalog: "Catalog", name: str) -> "Table | None":
    """The table, if there is one. One of before files were partitions is made anew."""
    if name not in catalogue.list_tables(catalog):
        return None
    table = catalogue.load_table(catalog, name)
    if not table.spec().is_unpartitioned():
        return table
    catalog.drop_table((catalogue.NAMESPACE, name))
    return None


def list_addresses(name: str) -> dict[str, UUID]:
    store = object_store()
    found = exported_datasets().filter(name=name).order_by("id").values_list("file__storage_key", "pk")
    return {store.address_of(key or ""): pk for key, pk in found.iterator()}


def list_files(table: "Table") -> dict[str, "DataFile"]:
    return {task.file.file_path: task.file for task in table.scan().plan_files()}


def load_datasets(ids: Sequence[UUID]) -> list[Dataset]:
    return list(Dataset.objects.with_files().filter(pk__in=ids).order_by("id"))


def make_table(catalog: "Catalog", name: str, datasets: Sequence[Dataset]) -> "Table":
    """With the columns of all that fit together."""
    schema = build_schema(fit_columns({}, [types_of(one.columns) for one in datasets]).types)
    spec, properties = build_partitions(schema), catalogue.TABLE_PROPERTIES
    return catalog.create_table((catalogue.NAMESPACE, name), schema, partition_spec=spec, properties=properties)


def change_table(table: "Table", new: Sequence[Dataset], gone: Sequence["DataFile"], done: TableExport) -> None:
    """Columns, new files and files that are gone in one commit."""
    fit = fit_columns(read_types(table.schema()), [types_of(one.columns) for one in new])
    fitting = []
    for dataset in new:
        reason = fit.misfits.get(types_of(dataset.columns))
        if reason is None:
            fitting.append(dataset)
        else:
            done.left_out.append(LeftOut(dataset, reason))
    with table.transaction() as change:
        widen_table(change, fit.types)
        name_columns(change)
        files = describe_files(table.io, change.table_metadata, fitting)
        add_and_remove(change, [one.described for one in files if one.described is not None], gone)
    report(files, done)


def widen_table(change: "Transaction", types: Mapping[str, str]) -> None:
    known, kinds = read_types(change.table_metadata.schema()), iceberg_types()
    if known == types:
        return
    with change.update_schema() as schema:
        for name, kind in types.items():
            if name not in known:
                schema.add_column(name, kinds[kind])
            elif known[name] != kind:
                schema.update_column(name, kinds[kind])


def name_columns(change: "Transaction") -> None:
    """The Parquet files know their columns by name, and Iceberg by number. Changes of the columns keep this up."""
    from pyiceberg.table import TableProperties

    if change.table_metadata.name_mapping() is None:
        mapping = change.table_metadata.schema().name_mapping.model_dump_json()
        change.set_properties({TableProperties.DEFAULT_NAME_MAPPING: mapping})


def describe_files(io: "FileIO", metadata: "TableMetadata", datasets: Sequence[Dataset]) -> list[NewFile]:
    with ThreadPoolExecutor(READERS) as readers:
        return list(readers.map(partial(describe_file, io, metadata, object_store().address_of), datasets))


def describe_file(
    io: "FileIO", metadata: "TableMetadata", address_of: Callable[[str], str], dataset: Dataset
) -> NewFile:
    """What the footer says, as `add_files` reads it, and where the rows are from."""
    from pyiceberg.io.pyarrow import parquet_file_to_data_file

    address = address_of(dataset.file.storage_key or "")
    try:
        described = parquet_file_to_data_file(io, metadata, address)
    except (OSError, ValueError):
        return NewFile(dataset, None)
    put_into_partition(described, dataset)
    return NewFile(dataset, described)


def add_and_remove(change: "Transaction", new: Sequence["DataFile"], gone: Sequence["DataFile"]) -> None:
    if not (new or gone):
        return
    update = change.update_snapshot()
    with update.overwrite() if gone else update.merge_append() as snapshot:
        for file in gone:
            snapshot.delete_data_file(file)
        for file in new:
            snapshot.append_data_file(file)


def report(files: Sequence[NewFile], done: TableExport) -> None:
    for file in files:
        if file.described is None:
            done.left_out.append(LeftOut(file.dataset, DAMAGED))
            continue
        done.added += 1
    done.datasets += done.added


def forget_snapshots(table: "Table", *, before: datetime) -> None:
    """Of what the table was earlier: nobody shall find in it what was deleted."""
    table.refresh()
    if any(one.timestamp_ms < before.timestamp() * 1000 for one in list_earlier(table)):
        table.maintenance.expire_snapshots().older_than(before).commit()


def list_earlier(table: "Table") -> list["Snapshot"]:
    current = table.current_snapshot()
    return [one for one in table.snapshots() if current is None or one.snapshot_id != current.snapshot_id]
