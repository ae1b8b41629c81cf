"""What the project's real exports hold, as `expected.json` beside the checkout says; empty where that is missing."""

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "shared" / "data" / "instruments"
TECHNIQUES = FOLDER.parent / "techniques"
EXPECTED = FOLDER / "expected.json"
FILES: dict[str, dict[str, Any]] = json.loads(EXPECTED.read_text())["files"] if EXPECTED.exists() else {}
needs_real_exports = pytest.mark.skipif(
    not FILES, reason="the real exports lie beside the checkout of the developers only"
)

FACTS = {  # ours: theirs
    "technique": "technique",
    "instrument_model": "model_number",
    "serial_number": "serial_number",
    "manufacturer": "manufacturer",
    "device_identifier": "device_identifier",
    "software": "software",
    "software_version": "software_version",
    "measurement_count": "measurements",
    "well_count": "wells",
    "plate_format": "plate_well_count",
    "plate_id": "plates",
    "plate_count": "plate_count",
    "sample_count": "samples",
    "detection_type": "detection_types",
    "experiment_type": "experiment_types",
    "analyst": "analysts",
    "wavelength_nm": "wavelengths_nm",
    "curve_count": "curve_count",
    "calculated_count": "calculated_values",
    "processed_data_count": "processed_data_documents",
    "format": "format",
    "title": "title",
    "author": "author",
    "data_type": "data_type",
    "points": "points",
    "x_unit": "x_unit",
    "y_unit": "y_unit",
    "x_first": "x_first",
    "x_last": "x_last",
    "y_first": "y_first",
    "y_max": "y_max",
    "origin": "origin",
    "owner": "owner",
    "instrument": "instrument",
    "width": "width",
    "height": "height",
    "pages": "pages",
    "dtype": "dtype",
    "min": "min",
    "max": "max",
    "mean": "mean",
    "percentile_1": "percentile_1",
    "percentile_99": "percentile_99",
    "width_pt": "width_pt",
    "height_pt": "height_pt",
    "spectra": "spectra",
    "chromatograms": "chromatograms",
    "events": "events",
    "parameters": "parameters",
    "cytometer": "cytometer",
    "date": "date",
    "begin": "begin",
}


def facts_of(expected: dict[str, Any]) -> dict[str, Any]:
    """By our names."""
    return {ours: expected[theirs] for ours, theirs in FACTS.items() if expected.get(theirs) is not None}


def type_of(expected: dict[str, Any]) -> str:
    """The instrument type that reads it."""
    return str(expected.get("vendor", "generic")).lower().replace("_", "-")


def agrees(expected: Any, found: Any) -> bool:
    if isinstance(expected, list):
        return members(found) == {as_number(value) for value in expected}
    if isinstance(expected, float | int) and isinstance(found, float | int):
        return found == pytest.approx(expected, rel=1e-6)
    return found == expected or expected in members(found)


def members(value: Any) -> set[Any]:
    values = value if isinstance(value, list) else [] if value is None else [value]
    return {as_number(value) for value in values}


def as_number(value: Any) -> Any:
    return float(value) if isinstance(value, int | float) else value
