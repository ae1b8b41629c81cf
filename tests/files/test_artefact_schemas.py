"""The JSON of artefacts is as the OpenAPI document says."""

import pytest
from jsonschema import Draft202012Validator

from files.artefact_schemas import ARTEFACT_SCHEMAS
from processing.formats.curve import Axis, Curve, Mark, Series
from processing.formats.plate import Plate, Steps, Well, WellValue
from processing.formats.table import Column, Table

KINETICS = Steps("Time", "s", [0.0, float("nan")])
WELLS = {Well(0, 0): WellValue(0.1, values=[0.1, None], sample="S1"), Well(7, 11): WellValue(None, note="OVRFLW")}
PEAK = Mark("caffeine", x=1.5, bounds=(1.0, 2.0), area=7)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        (
            "IdsCurve",
            Curve("C", Axis("Shift", "ppm"), Axis("y", is_log=True), [Series("A1", [1, 2], [0.5, None])]),
        ),
        ("IdsCurve", Curve("C", Axis("t"), Axis("y"), [], "sticks", [PEAK, Mark("threshold", y=2)], is_square=True)),
        ("IdsPlate", Plate("P", (8, 12), "absorbance", "AU", WELLS, KINETICS)),
        ("IdsPlate", Plate("P", (2, 3), "count", None, {}, Steps("Target", None, ["ACT", "GAPDH"]))),
        ("IdsTable", Table("T", [Column("Viability", "%"), Column("ok")], [[96.9, True], ["x", None], [1, "y"]])),
        ("IdsTable", Table("T", [], [], total_rows=9)),
    ],
)
def test_what_readers_make_fits_its_schema(name, made):
    schema = ARTEFACT_SCHEMAS[name]
    Draft202012Validator.check_schema(schema)

    assert list(Draft202012Validator(schema).iter_errors(made.document())) == []
    assert set(made.document()) <= set(schema["properties"])
