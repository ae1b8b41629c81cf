"""Flow cytometry: the sample of events that a page draws, and the logicle scale against that of flowutils 1.2."""

import base64
import json

import numpy as np
import pytest

from files.drawing.events import build_events_view
from files.drawing.faults import find_document_fault
from processing.formats.events import MAX_EVENTS, EventChannel, Events
from processing.formats.logicle import Logicle, choose_logicle
from processing.readings import Kind
from tests.processing.techniques import needs_techniques, read_technique

FLOWUTILS = {  # flowutils.transforms.logicle(values, t=262144, m=4.5, w=…, a=0)
    0.5: {
        -1000: -0.23211535395017646,
        -10: 0.099917946544774,
        0: 0.1111111111111111,
        10: 0.12230427567744821,
        1000: 0.45433757617239867,
        50000: 0.8399310168878039,
        262144: 1.0,
    },
    1.0: {
        -1000: 0.03813323848718597,
        -10: 0.2199597782467301,
        0: 0.2222222222222222,
        10: 0.22448466619771432,
        1000: 0.40631120595725845,
        50000: 0.838486041858377,
        262144: 1.0,
    },
}


@pytest.mark.parametrize("width", FLOWUTILS)
def test_the_logicle_scale_is_that_of_the_library(width):
    scale = Logicle(262144, width)

    assert {value: scale.place_of(value) for value in FLOWUTILS[width]} == pytest.approx(FLOWUTILS[width], abs=1e-9)


def test_the_linear_part_is_as_wide_as_the_negative_values_need():
    values = np.array([-100.0] * 20 + [50_000.0] * 80)

    assert choose_logicle(values, reach=262144).w == pytest.approx((4.5 - np.log10(2621.44)) / 2)


def make_events(rows, *, total):
    channels = [
        EventChannel("FSC-A", False, 262144.0),
        EventChannel("SSC-A", False, 0.0),
        EventChannel("FITC", True, 0.0),
    ]
    return Events("Events", channels, np.asarray(rows, dtype=float), total).document()


def test_the_events_keep_their_values():
    document = make_events([[1, 2, -3.5], [4, 5, 6]], total=2)

    assert np.frombuffer(base64.b64decode(document["channels"][2]["data"]), "<f4").tolist() == [-3.5, 6]
    assert [channel["scale"] for channel in document["channels"]] == ["linear", "linear", "logicle"]
    assert find_document_fault(document, kind="events") is None


def test_many_events_are_a_sample_that_says_so():
    document = make_events(np.arange(90_000.0).reshape(30_000, 3), total=124_806)

    assert (document["count"], document["total"]) == (MAX_EVENTS, 124_806)


def test_a_page_without_script_shows_scatter_against_scatter():
    view = build_events_view(make_events([[10, 20, 1], [30, 40, 2], [50, 60, 3]], total=3))

    assert (view.x_title, view.y_title) == ("FSC-A", "SSC-A")
    assert sum(path.count("M") for _, path in view.levels) == 3


@pytest.mark.parametrize(
    "change",
    [{"data": "AAAA"}, {"data": "?"}, {"high": -1}, {"name": None}, {"logicle": {"t": 0, "w": 0.5, "m": 4.5}}],
    ids=["too few values", "no base64", "no width", "no name", "no top"],
)
def test_events_that_cannot_be_drawn_are_a_fault(change):
    document = make_events([[1, 2, 3]], total=1)
    document["channels"][0] |= change

    assert find_document_fault(document, kind="events") is not None


@needs_techniques
def test_the_events_of_a_real_tube_are_shown():
    output = read_technique("flow-cytometry/G11.fcs")

    (events,) = [json.loads(artefact.data) for artefact in output.artefacts if artefact.kind is Kind.EVENTS]
    assert (events["count"], len(events["channels"])) == (5785, len(output.file["channels"]))
    assert find_document_fault(events, kind="events") is None
