"""Allotrope Simple Model documents that arrive as files."""

import json

import pytest

from processing.dataset_making.values import name_columns
from processing.formats.curve import Axis
from processing.processors.asm.curves import Trace, label_traces
from processing.processors.asm.document_reader import read
from processing.processors.asm.tables import tables_of
from processing.readings import Unreadable
from tests.processing.here import read_here
from tests.processing.techniques import FOLDER, list_tables, name_type, needs_techniques, read_technique

GEN5 = "asm/agilent_gen5__240411_172731_BNCH2345883_abs450_96well_non_numeric_values.json"
DOCUMENT = {
    "$asm.manifest": "http://example.org/manifests/balance/1",
    "balance aggregate document": {
        "balance document": [
            {
                "measurement aggregate document": {
                    "measurement document": [
                        {
                            "measurement identifier": "m-1",
                            "measurement time": "2026-03-14T09:26:53+00:00",
                            "sample document": {"sample identifier": "S1"},
                            "sample weight": {"value": 12.5, "unit": "mg"},
                        }
                    ]
                }
            }
        ]
    },
}


def test_a_documents_numbers_stand_in_a_table_with_their_unit(tmp_path):
    output = read_here(read, tmp_path / "a.json", json.dumps(DOCUMENT))

    table = list_tables(output)[0]
    assert {"name": "sample weight", "unit": "mg", "title": "Sample weight"} in table["columns"]
    assert 12.5 in table["rows"][0]
    assert (output.run["technique"], output.run["sample_id"]) == ("balance", "S1")


def test_a_schema_that_is_not_known_is_said(tmp_path):
    assert read_here(read, tmp_path / "a.json", json.dumps(DOCUMENT)).warnings == [
        "The document's Allotrope schema is not known here: its numbers were not checked against it."
    ]


@pytest.mark.parametrize("text", [json.dumps(DOCUMENT)[:300], "[1]", '{"$asm.manifest": "x"}'])
def test_what_is_no_whole_document_is_refused_with_a_sentence(tmp_path, text):
    with pytest.raises(Unreadable, match=r"\.$"):
        read_here(read, tmp_path / "a.json", text)


def test_json_of_others_is_not_taken(tmp_path):
    (tmp_path / "a.json").write_text('{"plates": [{"wells": 96}]}')

    assert name_type(tmp_path / "a.json") != "asm"


@needs_techniques
def test_a_real_document_keeps_its_numbers_units_and_gaps():
    output = read_technique(GEN5)

    table = list_tables(output)[0]
    place = table["columns"].index({"name": "absorbance", "unit": "mAU", "title": "Absorbance"})
    assert {row[1]: row[place] for row in table["rows"] if row[1] in ("A1", "B11", "F12")} == {
        "A1": 2.1,
        "B11": 2.39,
        "F12": 2.47,
    }
    assert "8 values of absorbance hold no number (OVRFLW): A8, B7, C6, D5, E4, F3 and 2 more." in output.warnings


@needs_techniques
@pytest.mark.parametrize("path", sorted((FOLDER / "asm").glob("*.json")), ids=lambda path: path.name[:20])
def test_every_real_document_is_read_with_all_its_measurements(path):
    expected = json.loads((FOLDER / "expected.json").read_text())["files"][f"asm/{path.name}"]["facts"]

    run = read_technique(path).run

    assert (run["technique"], run["measurement_count"], run.get("calculated_count", 0)) == (
        expected["technique"],
        expected["measurements"],
        expected["calculated_values"],
    )


def test_a_detector_that_is_called_by_its_wavelength_is_named_once():
    pairs = [("490.0", "490 nm"), ("335.0", "335 nm")]
    tags = [(well, "", detector, "", wavelength) for well in "AB" for detector, wavelength in pairs]
    traces = [Trace(Axis("Time"), Axis("RFU"), [], [], one) for one in tags]

    assert label_traces(traces) == ["A, 490 nm", "A, 335 nm", "B, 490 nm", "B, 335 nm"]


CELLS = [
    {
        "measurement aggregate document": {
            "measurement document": [
                {
                    "measurement identifier": f"m{number}",
                    "sample document": {"sample identifier": f"S{number}"},
                    "data processing document": {"cell density dilution factor": {"value": 2, "unit": "(unitless)"}},
                    "minimum cell diameter setting": {"value": 4, "unit": "µm"},
                    "viability (cell counter)": {"value": 90.0 + number, "unit": "%"},
                    "pH": {"value": 7.0 + number, "unit": "pH"},
                }
            ]
        }
    }
    for number in range(3)
]


def test_results_stand_before_settings_and_constants_in_the_words_of_the_field():
    (table,) = tables_of(CELLS, {"m0", "m1", "m2"})

    shown = [column.get("title", column["name"]) for column in json.loads(table.data)["columns"]]
    assert shown == ["Sample", "Viability", "pH", "Cell density dilution factor", "Minimum cell diameter setting"]


def test_columns_of_datasets_keep_the_names_that_scripts_know():
    (table,) = tables_of(CELLS, {"m0", "m1", "m2"})

    (dataset,) = table.datasets
    assert "viability_cell_counter" in {column.name for column in name_columns(dataset.columns)}


def test_from_where_to_where_liquid_went_stands_in_the_table_though_it_never_changes():
    transfers = [
        {
            "measurement aggregate document": {
                "measurement document": [
                    {
                        "sample document": {
                            "source well plate identifier": "96WP001",
                            "destination well plate identifier": "96WP002",
                            "source well location identifier": "A1",
                            "destination well location identifier": f"B{number}",
                        },
                        "transfer volume": {"value": 20.0 + number, "unit": "µL"},
                    }
                    for number in (1, 2, 3)
                ]
            }
        }
    ]

    table = json.loads(tables_of(transfers, set())[0].data)

    assert [column["name"] for column in table["columns"]] == [
        "destination well location identifier", "transfer volume",
        "source well plate identifier", "destination well plate identifier", "source well location identifier",
    ]  # fmt: skip
    assert table["rows"][0] == ["B1", 21, "96WP001", "96WP002", "A1"]
