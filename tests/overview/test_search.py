import pytest

from overview import search
from tests.factories import make_comment, make_file, make_instrument, make_run

ROUTE = "/api/v1/search"


def test_every_group_is_searched_in_any_case(as_token):
    instrument = make_instrument(id="needle-1", display_name="HPLC")
    run = make_run(instrument=instrument, run_id="Needle run")
    make_file("needle.raw", run=run, size_bytes=5)
    make_comment(run=run, body="a NEEDLE in\na haystack")

    answer = as_token("runs:read").get(f"{ROUTE}?q=nEEdle").json()

    assert [row["run_id"] for row in answer["runs"]] == ["Needle run"]
    assert answer["files"][0] | {"id": 0} == {
        "id": 0,
        "filename": "needle.raw",
        "instrument_id": "needle-1",
        "run_id": "Needle run",
        "size_bytes": 5,
    }
    assert answer["instruments"] == [{"id": "needle-1", "display_name": "HPLC", "status": "active"}]
    assert answer["comments"][0]["excerpt"] == "a NEEDLE in a haystack"


def test_five_of_each_or_twenty_five_of_one_the_newest_first(as_token):
    instrument = make_instrument()
    for number in range(30):
        make_run(instrument=instrument, run_id=f"batch-{number:02}")
    api = as_token("runs:read")

    few, many = api.get(f"{ROUTE}?q=batch").json(), api.get(f"{ROUTE}?q=batch&scope=runs").json()

    assert [row["run_id"] for row in few["runs"]] == [f"batch-{number}" for number in range(29, 24, -1)]
    assert len(many["runs"]) == 25
    assert many["files"] == many["instruments"] == many["comments"] == []


def test_what_lies_beyond_the_newest_is_found_through_the_index(as_token, monkeypatch):
    monkeypatch.setattr(search, "NEWEST_ROWS_SEARCHED", 3)
    make_run(run_id="the old needle")
    for _ in range(5):
        make_run()
    api = as_token("runs:read")

    assert [row["run_id"] for row in api.get(f"{ROUTE}?q=needle").json()["runs"]] == ["the old needle"]
    assert api.get(f"{ROUTE}?q=ne").json()["runs"] == []


def test_deleted_runs_and_what_is_in_them_stay_out(as_token):
    api = as_token("runs:read", "runs:delete")
    run = make_run(run_id="ghost")
    make_file("ghost.csv", run=run)
    make_comment(run=run, body="ghost")
    api.delete(f"/api/v1/instruments/{run.instrument_id}/runs/ghost")

    assert api.get(f"{ROUTE}?q=ghost").json() == {
        "runs": [],
        "files": [],
        "instruments": [],
        "comments": [],
        "people": [],
    }


@pytest.mark.parametrize("text", ["%25%25", "__", "%5C%5C", "Gr%C3%B6%C3%9Fe"])
def test_signs_of_patterns_are_letters(as_token, text):
    make_run(run_id="plain")

    assert as_token("runs:read").get(f"{ROUTE}?q={text}").json()["runs"] == []


def test_unicode_forms_of_one_name_are_one(as_token):
    make_run(run_id="Gro\u0308sse")

    assert len(as_token("runs:read").get(f"{ROUTE}?q=gr%C3%B6sse").json()["runs"]) == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [("", "q"), ("?q=", "q"), ("?q=a", "q"), ("?q=" + "x" * 201, "q"), ("?q=a%00b", "q"), ("?q=ab&scope=x", "scope")],
)
def test_wrong_searches_name_their_field(as_token, query, field):
    answer = as_token("runs:read").get(ROUTE + query)

    assert answer.status_code == 400
    assert field in answer.json()["error"]["details"]["fields"]


def test_a_bound_token_finds_what_it_may_see(as_token):
    inside, outside = make_run(run_id="needle-a"), make_run(run_id="needle-b")
    make_file("needle.raw", run=outside)

    answer = as_token("runs:read", instrument_ids=[inside.instrument_id]).get(f"{ROUTE}?q=needle").json()

    assert [row["run_id"] for row in answer["runs"]] == ["needle-a"]
    assert answer["files"] == []


def test_runs_are_found_by_words_that_occur_in_them(as_token):
    instrument = make_instrument(display_name="Zebra Machine")
    run = make_run(instrument=instrument, run_id="alpha-one", caller_metadata={"operator": "quokka"})
    make_file("wombat.csv", run=run)
    make_comment(run=run, body="platypus seen")
    make_run(run_id="quokka-2")
    api = as_token("runs:read")

    def found(words):
        return [row["run_id"] for row in api.get(f"{ROUTE}?q={words}").json()["runs"]]

    assert found("quokka") == ["quokka-2", "alpha-one"]
    assert [found(word) for word in ("WOMBAT", "zebra", "platypus")] == [["alpha-one"]] * 3
    assert found("alpha quokka wombat zebra platypus") == ["alpha-one"]
    assert found("alpha nothere") == []
    assert found("a b c d e f g h nine") == []
