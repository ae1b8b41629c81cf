"""Where the engine finds a dataset's Parquet file: in the local store itself, else a copy that is kept for a while."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from datasets.models import Dataset
from files.storage import object_store
from files.storage.interface import MIB
from files.storage.layout import DATA_FILE, Layout
from files.storage.local import LocalStore
from wire.errors import ServiceError


class DatasetDamaged(ServiceError):
    """409. The stored Parquet file is not what was written."""

    status, code = 409, "CONFLICT"

    def __init__(self) -> None:
        text = "The stored Parquet file is missing or damaged: have its source file read again."
        super().__init__(text, reason="parquet_damaged")


def allowed_directory() -> Path:
    """Below which alone the engine may open files."""
    store = object_store()
    return store.layout.root.resolve() if isinstance(store, LocalStore) else copies_directory()


def copies_directory() -> Path:
    path = Path(settings.DATASET_COPIES or Path(tempfile.gettempdir()) / f"ids-datasets-{os.getuid()}").resolve()
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def locate(datasets: Sequence[Dataset]) -> list[str]:
    """The path of each one's Parquet file. Raises StoreUnavailable, ObjectMissing."""
    store = object_store()
    keys = [dataset.file.storage_key or "" for dataset in datasets]
    if isinstance(store, LocalStore):
        layout = Layout(store.layout.root.resolve())  # once: of thousands of paths it is most of the work
        return [str(layout.object_directory(key) / DATA_FILE) for key in keys]
    return [str(fetch_copy(key)) for key in keys]


def locate_whole(datasets: Sequence[Dataset]) -> list[str]:
    """The same, of files that are opened one after the other: one that is gone or cut is told before the first row.

    Raises DatasetDamaged too.
    """
    paths = locate(datasets)
    for path, dataset in zip(paths, datasets, strict=True):
        try:
            is_whole = Path(path).stat().st_size == dataset.file.size_bytes
        except OSError:
            is_whole = False
        if not is_whole:
            raise DatasetDamaged
    return paths


def fetch_copy(key: str) -> Path:
    """Keys are never used twice, so a copy is good as long as it is there. The oldest go where there are too many."""
    directory = copies_directory()
    path = directory / f"{key.replace('/', '_')}.parquet"
    try:
        os.utime(path)
        return path
    except FileNotFoundError:
        pass
    make_room(directory)
    with tempfile.NamedTemporaryFile(dir=directory, delete=False) as copy:
        try:
            with object_store().open_range(key) as source:
                while piece := source.read(MIB):
                    copy.write(piece)
        except BaseException:
            Path(copy.name).unlink()
            raise
    return Path(copy.name).replace(path)


def make_room(directory: Path) -> None:
    """At most so many bytes stay; a copy that a query reads right now stays readable until it is closed."""
    most = settings.DATASET_COPIES_MIB * MIB
    found = sorted((entry.stat().st_mtime, entry.stat().st_size, entry.path) for entry in os.scandir(directory))
    total = sum(size for _, size, _ in found)
    for _, size, path in found:
        if total <= most:
            return
        Path(path).unlink(missing_ok=True)
        total -= size
