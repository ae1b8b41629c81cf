"""Runs that people make on the page for it."""

from datetime import UTC, datetime

import pytest

from runs.models import Run
from tests.factories import make_instrument, make_run, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def person(client):
    client.user = make_user()
    client.force_login(client.user)
    return client


def test_a_run_made_by_hand_is_of_the_person_and_asks_for_its_files(person):
    make_instrument(id="reader", time_zone="Europe/Berlin")

    answer = person.post("/runs/new", {"instrument": "reader", "run_id": "old 1", "started": "2026-02-03T10:30"})

    assert (answer.status_code, answer["Location"]) == (302, "/instruments/reader/runs/old%201/put-in")
    run = Run.objects.get(instrument_id="reader", run_id="old 1")
    assert run.acquired_at == datetime(2026, 2, 3, 9, 30, tzinfo=UTC)
    assert [claim.user for claim in run.claims.all()] == [person.user]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"instrument": "reader", "run_id": "a/b"}, "without / and"),
        ({"instrument": "nowhere", "run_id": "a"}, "There is no such instrument."),
        ({"instrument": "reader", "run_id": "a", "started": "yesterday"}, "A date and a time are needed."),
        ({"instrument": "reader", "run_id": "a", "started": "0001-01-01T00:00+14:00"}, "A date and a time are needed."),
        ({"instrument": "reader", "run_id": "there"}, "The instrument has a run of this name."),
        ({"instrument": "reader", "run_id": "gone"}, "The run is deleted. Restore it first."),
    ],
)
def test_what_is_refused_is_said_beside_its_field(person, given, said):
    reader = make_instrument(id="reader")
    make_run(instrument=reader, run_id="there")
    make_run(instrument=reader, run_id="gone", deleted_at=datetime(2026, 1, 1, tzinfo=UTC), deleted_by=person.user)

    answer = person.post("/runs/new", given)

    assert answer.status_code == 400
    assert said in answer.content.decode()


def test_somebody_elses_run_is_not_taken_over_by_its_name(person):
    there = make_run(instrument=make_instrument(id="reader"), run_id="there")

    person.post("/runs/new", {"instrument": "reader", "run_id": "there"})

    assert not there.claims.exists()
