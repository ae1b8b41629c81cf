"""ETag, If-None-Match and If-Match of what REST shows, and metadata patched instead of replaced."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.factories import make_comment, make_file, make_instrument, make_run, make_watcher

RUN = "/api/v1/instruments/reader/runs/7"


@dataclass
class Thing:
    """Something with a version, and a change of it that differs each time."""

    path: str
    change: Callable[[int], dict[str, Any]]


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="reader"), run_id="7", caller_metadata={"a": 1, "b": {"x": 1}})


@pytest.fixture(params=["run", "file", "instrument"])
def thing(request, run):
    if request.param == "run":
        return Thing(RUN, lambda number: {"metadata": {"n": number}})
    if request.param == "file":
        return Thing(f"/api/v1/files/{make_file(run=run).pk}", lambda number: {"metadata": {"n": number}})
    return Thing("/api/v1/instruments/reader", lambda number: {"display_name": f"Reader {number}"})


def test_what_is_known_is_not_sent_again(as_token, thing):
    api = as_token()
    etag = api.get(thing.path).headers["ETag"]

    for known in (etag, etag.removeprefix("W/"), f'"other", {etag}'):
        answer = api.get(thing.path, If_None_Match=known)
        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", etag)
    assert api.get(thing.path, If_None_Match='"other"').status_code == 200


def test_a_change_makes_another_version_and_nothing_else_does(as_token, thing):
    api = as_token()
    before = api.get(thing.path).headers["ETag"]

    assert api.get(thing.path).headers["ETag"] == before
    assert api.patch(thing.path, thing.change(1)).status_code == 200
    assert api.get(thing.path).headers["ETag"] != before


def test_a_change_of_an_older_version_is_refused(as_token, thing):
    api = as_token()
    old = api.get(thing.path).headers["ETag"]
    changed = api.patch(thing.path, thing.change(1), If_Match=old)
    mine = api.get(thing.path).json()

    refused = api.patch(thing.path, thing.change(2), If_Match=old)

    assert (changed.status_code, refused.status_code) == (200, 412)
    assert refused.json()["error"]["code"] == "PRECONDITION_FAILED"
    assert api.get(thing.path).json() == mine
    assert api.patch(thing.path, thing.change(3), If_Match=changed.headers["ETag"]).status_code == 200
    assert api.patch(thing.path, thing.change(4), If_Match="*").status_code == 200


def test_what_others_add_stands_in_nobodys_way(as_token, run):
    api = as_token()
    instrument, described = (api.get(path).headers["ETag"] for path in ("/api/v1/instruments/reader", RUN))

    make_watcher(instrument=run.instrument)
    make_comment(run=run)
    make_file(run=run)

    assert api.get(RUN).headers["ETag"] != described
    assert api.patch(RUN, {"metadata": {}}, If_Match=described).status_code == 200
    assert api.patch("/api/v1/instruments/reader", {"display_name": "R"}, If_Match=instrument).status_code == 200


@pytest.mark.parametrize("what", ["run", "file"])
def test_only_the_version_that_was_seen_is_deleted(as_token, run, what):
    path = RUN if what == "run" else f"/api/v1/files/{make_file(run=run).pk}"
    api = as_token()
    old = api.get(path).headers["ETag"]
    new = api.patch(path, {"metadata": {"n": 1}}).headers["ETag"]

    assert api.delete(path, If_Match=old).status_code == 412
    assert api.get(path).json()["deleted_at"] is None
    assert api.delete(path, If_Match=new).status_code == 200


def test_a_comment_has_its_version_wherever_it_is_shown(as_token, run):
    api = as_token()
    made = api.post(f"{RUN}/comments", {"body": "one"})
    path = f"{RUN}/comments/{made.json()['id']}"

    changed = api.patch(path, {"body": "two"}, If_Match=made.headers["ETag"])

    assert made.json()["etag"] == made.headers["ETag"] != changed.headers["ETag"]
    assert api.get(f"{RUN}/comments").json()["data"][0]["etag"] == changed.headers["ETag"]
    assert api.patch(path, {"body": "three"}, If_Match=made.headers["ETag"]).status_code == 412
    assert api.delete(path, If_Match=made.headers["ETag"]).status_code == 412
    assert api.delete(path, If_Match=changed.headers["ETag"]).status_code == 200


@pytest.fixture(params=["run", "file"])
def described(request, run):
    """The path of something whose callers wrote {"a": 1, "b": {"x": 1}}."""
    return RUN if request.param == "run" else f"/api/v1/files/{make_file(run=run, caller_metadata=run.metadata).pk}"


def test_a_patch_sets_merges_and_takes_away(as_token, described):
    api = as_token()

    answer = api.patch(described, {"metadata_patch": {"a": None, "b": {"y": 2}, "c": [1], "d": {"e": {"f": None}}}})

    assert answer.status_code == 200
    assert api.get(described).json()["own_metadata"] == {"b": {"x": 1, "y": 2}, "c": [1], "d": {"e": {}}}


@pytest.mark.parametrize(
    "body",
    [{"metadata_patch": []}, {"metadata_patch": "x"}, {"metadata_patch": {}, "metadata": {}}],
    ids=["list", "text", "both"],
)
def test_a_patch_of_another_form_changes_nothing(as_token, described, body):
    api = as_token()

    answer = api.patch(described, body)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["metadata_patch"]
    assert api.get(described).json()["own_metadata"] == {"a": 1, "b": {"x": 1}}


def test_patches_that_add_up_to_too_much_are_refused(as_token, described):
    api = as_token()
    assert api.patch(described, {"metadata_patch": {"big": "x" * 200_000}}).status_code == 200

    assert api.patch(described, {"metadata_patch": {"more": "x" * 100_000}}).status_code == 413
