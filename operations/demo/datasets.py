"""What the demonstration measured, as numbers: written as a reading writes them."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from datasets.writing import build_row
from files.models import File
from processing.artefacts import ProcessorVersion, store_artefacts
from processing.confined.fork_server_client import ignore_progress
from processing.dataset_making.checks import check_dataset
from processing.dataset_making.files import write_dataset
from processing.dataset_making.parquet import as_artefact, as_new_dataset, write_parquet
from processing.dataset_making.values import Dataset, slug_of
from processing.formats.curve import Axis, Curve, Series
from processing.formats.plate import Plate, Well, WellValue
from processing.formats.table import Column, Table
from processing.readings import MAX_DATASETS_BYTES

READER = ProcessorVersion("demo", "")


def add_dataset(source: File, document: Mapping[str, Any], *, name: str, at: datetime) -> None:
    """The dataset behind a drawn document, where it is a curve, a plate or a table."""
    for found in datasets_of(document, name):
        with TemporaryDirectory(prefix="ids-demo-") as home:
            folder, path = Path(home) / "0", Path(home) / "parquet"
            write_dataset(folder, found, most_bytes=MAX_DATASETS_BYTES)
            checked = check_dataset(folder)
            statistics = write_parquet(checked, source=source, to=path)
            made = as_artefact(checked, path)
            rows = store_artefacts(source, [made], reader=READER, at=at, progress=ignore_progress)
            for row in File.objects.bulk_create(rows):
                build_row(source, as_new_dataset(checked, row, statistics, reader=READER), at=at).save()


def datasets_of(document: Mapping[str, Any], name: str) -> Sequence[Dataset]:
    kind = str(document.get("format", "")).partition("/")[0]
    read = READ.get(kind)
    found = read(document).artefact(name).datasets if read else ()
    return [Dataset(slug_of(one.name), one.title, one.kind, one.columns) for one in found]


def read_curve(document: Mapping[str, Any]) -> Curve:
    x, y = (Axis(document[axis]["label"], document[axis].get("unit")) for axis in ("x", "y"))
    return Curve(document["title"], x, y, [Series(one["label"], one["x"], one["y"]) for one in document["series"]])


def read_plate(document: Mapping[str, Any]) -> Plate:
    wells = {
        place: WellValue(well.get("value"), well.get("sample"), well.get("note"))
        for name, well in document["wells"].items()
        if (place := Well.parse(name)) is not None
    }
    shape = (document["rows"], document["columns"])
    return Plate(document["title"], shape, document["quantity"], document.get("unit"), wells)


def read_table(document: Mapping[str, Any]) -> Table:
    columns = [Column(one["name"], one.get("unit")) for one in document["columns"]]
    return Table(document["title"], columns, document["rows"])


READ: Mapping[str, Callable[[Mapping[str, Any]], Curve | Plate | Table]] = {
    "ids-curve": read_curve,
    "ids-plate": read_plate,
    "ids-table": read_table,
}
