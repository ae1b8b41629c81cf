"""GET /changes."""

import pytest

from changes.models import Change
from tests.changes.test_log import add
from tests.factories import make_instrument

pytestmark = pytest.mark.django_db


def test_changes_come_with_the_position_of_the_next_call(as_token):
    position = add(instrument="reader-1")

    answer = as_token("runs:read").get("/api/v1/changes").json()

    assert answer["next"] == position
    row = answer["data"][0]
    assert row.pop("at").endswith("Z")
    assert row == {"position": position, "type": "run.created", "instrument_id": "reader-1", "run_id": "r"}


def test_a_change_that_is_about_no_run_says_so(as_token):
    add("watcher.offline", run=None)

    row = as_token("runs:read").get("/api/v1/changes").json()["data"][0]

    assert (row["type"], row["run_id"]) == ("watcher.offline", None)


def test_now_begins_at_the_end(as_token):
    end, api = add(), as_token("runs:read")

    begun = api.get("/api/v1/changes?after=now").json()
    added = add()
    then = api.get(f"/api/v1/changes?after={begun['next']}").json()

    assert begun == {"data": [], "next": end}
    assert [row["position"] for row in then["data"]] == [added]


def test_types_are_repeatable(as_token):
    add("run.created"), add("run.deleted"), add("file.failed")

    answer = as_token("runs:read").get("/api/v1/changes?types=run.created&types=file.failed").json()

    assert [row["type"] for row in answer["data"]] == ["run.created", "file.failed"]


def test_one_instrument_is_followed(as_person):
    make_instrument(id="reader-2")
    add(instrument="reader-1"), add(instrument="reader-2")

    answer = as_person().get("/api/v1/changes?instrument_id=reader-2&limit=1").json()

    assert [row["instrument_id"] for row in answer["data"]] == ["reader-2"]


@pytest.mark.parametrize(
    "query",
    ["after=-1", "after=x", "after=", "after=1e3", "after=9999999999999999999", "after=%00", "types=run.sneezed",
     "limit=0", "limit=1001", "limit=x", "instrument_id=", "after=%EF%BC%91"],
)  # fmt: skip
def test_bad_input_is_named(as_token, query):
    answer = as_token("runs:read").get(f"/api/v1/changes?{query}")

    assert answer.status_code == 400
    assert query.partition("=")[0] in str(answer.json()["error"]["details"]["fields"])


def test_a_position_before_the_log_is_gone(as_token):
    position = add()
    Change.objects.all().delete()

    answer = as_token("runs:read").get(f"/api/v1/changes?after={position}")

    assert (answer.status_code, answer.json()["error"]["details"]) == (410, {"oldest": 0})
