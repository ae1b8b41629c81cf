"""Datasets whose Parquet files really are in the object store."""

import io
import secrets
from typing import Any

import pyarrow
import pyarrow.parquet

from datasets.models import Dataset
from files.choices import FileCategory, FileStatus
from tests.factories import make_run, make_stored_file

TYPES = {"double": "float64", "float": "float32", "int64": "int64", "bool": "bool", "string": "string"}


def make_dataset(
    values: dict[str, Any], *, run: Any = None, units: dict[str, str] | None = None, **fields: Any
) -> Dataset:
    """`values`: by the name of the column. The roles are those of `roles`, by name."""
    run, roles = run or make_run(), fields.pop("roles", {})
    table = pyarrow.table(values)
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    source = fields.get("source_file") or make_stored_file("plate.csv", b"a,b\n", run=run)
    stored = {"category": FileCategory.PROCESSED, "status": FileStatus.COMPLETED, "source_file": source}
    file = make_stored_file(f"table-{secrets.token_hex(8)}.parquet", out.getvalue(), run=run, **stored)
    described = [
        {
            "name": name,
            "type": TYPES.get(str(table.schema.field(name).type), "timestamp"),
            "unit": (units or {}).get(name),
            "role": roles.get(name),
            "title": name,
        }
        for name in table.column_names
    ]
    known = {"name": "table", "kind": "table", "columns": described, "column_names": table.column_names}
    known |= {"row_count": table.num_rows, "run": run, "source_file": source, "file": file}
    return Dataset.objects.create(**(known | fields))
