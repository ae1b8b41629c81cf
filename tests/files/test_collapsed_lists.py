"""Lists that show the newest version of each path."""

import pytest

from files.models import File
from tests.factories import make_file, make_run
from tests.files.sending import path_of
from wire.clock import now

pytestmark = pytest.mark.django_db

ONE, TWO, THREE = b"first\n" * 100, b"second\n" * 100, b"third\n" * 100


@pytest.fixture
def versioned(as_token):
    """A run whose `scan.raw` has three versions, the newest not come yet, and whose `other.raw` has one."""
    run = make_run()
    first = make_file("scan.raw", run=run, status="failed")
    make_file("scan~2.raw", run=run, status="completed", version=2, version_of=first)
    make_file("scan~3.raw", run=run, version=3, version_of=first)
    make_file("other.raw", run=run, status="completed")
    return run


def collapsed(api, run, query=""):
    answer = api.get(f"{path_of(run)}/files?versions=collapse{query}")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert body["pagination"]["total"] == len(body["data"])
    return [(file["relative_path"], file["version_count"]) for file in body["data"]]


def test_a_collapsed_list_has_the_newest_version_of_each_path(as_token, versioned):
    assert collapsed(as_token("files:read"), versioned) == [("other.raw", 1), ("scan~3.raw", 3)]


def test_a_dismissed_version_is_not_the_newest_unless_asked_for(as_token, versioned):
    api = as_token()
    File.objects.filter(relative_path="scan~3.raw").update(deleted_at=now())

    assert collapsed(api, versioned) == [("other.raw", 1), ("scan~2.raw", 2)]
    assert collapsed(api, versioned, "&include_deleted=true") == [("other.raw", 1), ("scan~3.raw", 3)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("&status=failed", []),
        ("&status=detected", [("scan~3.raw", 3)]),
        ("&search=scan.raw", [("scan~3.raw", 3)]),
        ("&search=scan~3", [("scan~3.raw", 3)]),
        ("&search=scan~2", []),
        ("&category=raw&search=other", [("other.raw", 1)]),
    ],
)
def test_a_collapsed_list_is_filtered_by_its_rows(as_token, versioned, query, found):
    assert collapsed(as_token(), versioned, query) == found


def test_a_list_has_all_versions_unless_asked(as_token, versioned):
    api = as_token()

    answers = [api.get(f"{path_of(versioned)}/files{query}").json() for query in ("", "?versions=all")]

    assert [answer["pagination"]["total"] for answer in answers] == [4, 4]
    assert not any("version_count" in file for answer in answers for file in answer["data"])


def test_a_bad_way_to_list_versions_is_400(as_token):
    answer = as_token().get(f"{path_of(make_run())}/files?versions=newest")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["versions"]


def test_a_collapsed_list_takes_as_many_queries_as_any(as_token, versioned, django_assert_num_queries):
    api = as_token(last_used_at=now())

    with django_assert_num_queries(4):  # token, run, count, page
        api.get(f"{path_of(versioned)}/files?versions=collapse")
