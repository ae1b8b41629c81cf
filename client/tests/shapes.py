"""Answers as section 7 of the interface describes them, for what the service at hand does not answer."""

import io
from typing import Any

import pyarrow as pa

COLUMNS = [
    {"name": "trace", "type": "string", "unit": None, "role": "key", "title": "Trace"},
    {"name": "wavelength", "type": "float64", "unit": "nm", "role": "axis", "title": "Wavelength"},
    {"name": "absorbance", "type": "float64", "unit": "AU", "role": "value", "title": "Absorbance"},
]
PLATE = [
    {"name": "well", "type": "string", "unit": None, "role": "key", "title": "Well"},
    {"name": "row", "type": "string", "unit": None, "role": "label", "title": "Row"},
    {"name": "column", "type": "int64", "unit": None, "role": "label", "title": "Column"},
    {"name": "value", "type": "float64", "unit": "AU", "role": "value", "title": "Value"},
]


def run(run_id: str = "R1") -> dict[str, Any]:
    return {
        "id": "0199-run",
        "instrument_id": "reader",
        "run_id": run_id,
        "status": "completed",
        "metadata": {},
        "tags": [],
        "attributions": [],
        "acquired_at": None,
        "file_count": 1,
        "total_size_bytes": 10,
    }


def file(path: str) -> dict[str, Any]:
    return {"id": 1, "relative_path": path, "filename": path.rpartition("/")[2], "category": "raw", "size_bytes": 10}


def dataset(name: str = "spectrum", *, source: str = "scan.csv", columns: Any = COLUMNS, **more: Any) -> dict[str, Any]:
    about = {
        "id": f"0199-{name}-{source}",
        "name": name,
        "title": name.title(),
        "kind": name.partition("_")[0],
        "instrument_id": "reader",
        "run_id": "R1",
        "source_file_id": 1,
        "source_filename": source,
        "file_id": 9,
        "processor": {"name": "delimited", "version": "1"},
        "columns": columns,
        "row_count": 6,
        "size_bytes": 900,
        "created_at": "2026-11-23T08:00:00.000Z",
    }
    return about | more


def arrow(columns: dict[str, list[Any]], units: dict[str, str] | None = None) -> bytes:
    """An Arrow stream with units where the service writes them."""
    fields = [
        pa.field(name, pa.array(values).type, metadata={"ids.unit": (units or {}).get(name, "")})
        for name, values in columns.items()
    ]
    table = pa.table(list(columns.values()), schema=pa.schema(fields))
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def spectrum(traces: tuple[str, ...] = ("A", "B")) -> bytes:
    wavelengths = [400.0, 500.0, 600.0]
    return arrow(
        {
            "trace": [trace for trace in traces for _ in wavelengths],
            "wavelength": wavelengths * len(traces),
            "absorbance": [number / 10 for number in range(3 * len(traces))],
        },
        {"wavelength": "nm", "absorbance": "AU"},
    )


def stacked() -> bytes:
    return arrow(
        {
            "instrument_id": ["reader", "reader"],
            "run_id": ["R1", "R2"],
            "acquired_at": [None, None],
            "filename": ["plate.csv", "plate.csv"],
            "well": ["B3", "B3"],
            "value": [0.5, 0.7],
        },
        {"value": "AU"},
    )
