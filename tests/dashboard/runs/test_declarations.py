"""What a plug-in declares of its readings, on the page of a run that it read."""

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from processing import registry as registry_module
from processing.models import JobState, ProcessingJob
from processing.readings import Fact, InstrumentType, Kind, Viewer
from processing.registry import get_registry
from tests.factories import make_file, make_run, make_user
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db
GROWTH = InstrumentType(
    "growth",
    "Growth",
    ("gro",),
    "growth:read",
    facts=(Fact("strain"), Fact("greatest_od", "AU")),
    viewers=(Viewer(Kind.PLATE, "Growth plates", "growth plate"), Viewer(Kind.CURVE, "Growth of it", "growth")),
)
OTHER = replace(GROWTH, name="other", facts=(), viewers=())
HERE = "tests.dashboard.runs.test_declarations"


@pytest.fixture(autouse=True)
def plugins(monkeypatch):
    entries = [EntryPoint(name, f"{HERE}:{name}", registry_module.ENTRY_POINT_GROUP) for name in ("GROWTH", "OTHER")]
    monkeypatch.setattr(registry_module, "entry_points", lambda group: entries)
    get_registry.cache_clear()
    yield
    get_registry.cache_clear()


@pytest.fixture
def page(client):
    client.force_login(make_user())
    return lambda run: flat(client.get(f"/instruments/{run.instrument_id}/runs/{run.run_id}"))


def make_read(run, processor="growth"):
    facts = {"technique": "growth curve", "greatest_od": 0.081, "strain": "K-12"}
    file = make_file(f"{processor}.gro", run=run, status="completed", report_kind="spectrum")
    ProcessingJob.objects.create(
        file=file, state=JobState.COMPLETED, ended_at=now(), run_facts=facts, processor=processor
    )
    for kind in ("curve", "plate"):
        made = {"category": "processed", "source_file": file, "extracted": {"kind": kind}}
        make_file(f"{kind}.json", run=run, status="completed", content_type="application/json", **made)
    return run


def test_facts_stand_in_the_declared_order_with_their_units(page):
    shown = page(make_read(make_run(extracted={"technique": "growth curve", "strain": "K-12"})))

    assert shown.index("strain = K-12") < shown.index("technique = growth curve")
    assert 'title="greatest_od = 0.081 AU"' in shown


def test_another_reader_of_the_same_facts_declares_nothing(page):
    shown = page(make_read(make_run(extracted={"technique": "growth curve", "strain": "K-12"}), "other"))

    assert shown.index("technique = growth curve") < shown.index("strain = K-12")
    assert 'title="greatest_od = 0.081"' in shown


def test_sections_are_named_and_ordered_as_declared(page):
    shown = page(make_read(make_run()))

    assert shown.index("Growth plates") < shown.index("Growth of it")
    assert "Plates<" not in shown
