import pytest

from runs.models import Run
from tests.factories import make_instrument, make_run, make_user

ROUTE = "/api/v1/instruments/reader/filter-options"


@pytest.fixture
def reader(db):
    return make_instrument(id="reader")


def options(as_token) -> dict[str, list[dict[str, object]]]:
    answer = as_token("instruments:read").get(ROUTE)
    assert answer.status_code == 200
    return answer.json()["data"]


def test_values_come_with_the_number_of_their_runs_most_frequent_first(as_token, reader):
    for operator in ("x", "y", "y"):
        make_run(instrument=reader, caller_metadata={"operator": operator})

    assert options(as_token) == {"operator": [{"value": "y", "run_count": 2}, {"value": "x", "run_count": 1}]}


def test_only_active_runs_of_the_instrument_count(as_token, reader):
    make_run(instrument=reader, caller_metadata={"operator": "ada"})
    make_run(instrument=reader, caller_metadata={"ghost": "1"}, deleted_at="2026-01-01T00:00Z", deleted_by=make_user())
    make_run(caller_metadata={"elsewhere": "1"})

    assert list(options(as_token)) == ["operator"]


def test_options_are_what_can_be_filtered_by(as_token, reader):
    metadata = {"plates": ["P-1", 2], "dry": True, "a=b": "x", "nested": {"a": 1}, "long": "x" * 300, "e.q": "a=b"}
    make_run(instrument=reader, caller_metadata=metadata)

    assert options(as_token) == {
        "plates": [{"value": "2", "run_count": 1}, {"value": "P-1", "run_count": 1}],
        "dry": [{"value": "true", "run_count": 1}],
        "e.q": [{"value": "a=b", "run_count": 1}],
    }


def test_at_most_fifty_keys_and_two_hundred_values_of_the_most_frequent(as_token, reader):
    make_run(instrument=reader, caller_metadata={f"k{number:02}": "v" for number in range(60)})
    make_run(instrument=reader, caller_metadata={"k59": "v", "many": [f"{number:03}" for number in range(300)]})

    found = options(as_token)

    assert len(found) == 50
    assert list(found)[:2] == ["many", "k59"]
    assert len(found["many"]) == 200


def test_options_are_kept_for_a_while(as_token, reader):
    make_run(instrument=reader, caller_metadata={"operator": "ada"})
    before = options(as_token)
    Run.objects.update(caller_metadata={"operator": "grace"})

    assert options(as_token) == before


def test_an_unknown_instrument_has_none(as_token):
    assert as_token().get(ROUTE).status_code == 404
