"""The metadata of a run on its page: theirs first, the technique, then the numbers of each file."""

import pytest

from processing.models import JobState, ProcessingJob
from tests.factories import make_file, make_run, make_user
from tests.markup import flat
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture
def page(client):
    client.force_login(make_user())
    return lambda run: flat(client.get(f"/instruments/{run.instrument_id}/runs/{run.run_id}"))


def make_read(name, *, run, facts, **own):
    file = make_file(name, run=run, status="completed", extracted=own)
    ProcessingJob.objects.create(file=file, state=JobState.COMPLETED, ended_at=now(), run_facts=facts)


def test_what_people_wrote_stands_before_the_technique(page):
    extracted = {"technique": "HPLC", "analyst": "Jenny", "rows": 12}
    shown = page(make_run(extracted=extracted, caller_metadata={"zebra": "their own"}))

    assert shown.index("their own") < shown.index("Jenny") < shown.index('<span class="v">HPLC')


def test_the_numbers_of_files_are_told_file_by_file(page):
    run = make_run(extracted={"rows": [40, 96]})
    make_read("a.csv", run=run, facts={"rows": 40})
    make_read("b.csv", run=run, facts={"rows": 96}, column_names=["Well"])

    shown = page(run)

    first, second = shown.split('<span class="cut">')[1:]
    assert "rows = 40" in first
    assert "rows = 96" not in first
    assert "rows = 96" in second
    assert "column_names = Well" in second


def test_numbers_that_people_wrote_are_theirs(page):
    assert 'title="dose = 5"' in page(make_run(caller_metadata={"dose": 5}))


def test_many_samples_are_a_count_that_unfolds(page):
    shown = page(make_run(extracted={"sample_id": [f"S{number}" for number in range(192)]}))

    assert "192 values" in shown
    assert 'aria-label="Search among the values of sample_id"' in shown


def test_few_samples_stand_there(page):
    shown = page(make_run(extracted={"sample_id": ["S1", "S2"]}))

    assert "2 values" not in shown
    assert "sample_id = S2" in shown
