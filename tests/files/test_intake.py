"""Runs reported together with the files that were seen beside the instrument."""

import pytest

from files.models import File
from runs.models import Run
from tests.factories import make_file, make_instrument, make_run
from tests.files.sending import path_of
from wire.clock import now

pytestmark = pytest.mark.django_db


def seen(*paths: str):
    return [{"filename": path.rpartition("/")[2], "relative_path": path, "size_bytes": 3} for path in paths]


def report(api, instrument, **more):
    return api.post(f"/api/v1/instruments/{instrument.pk}/runs", {"run_id": "r1", **more})


def test_a_run_comes_with_its_files(as_token):
    answer = report(as_token("runs:create"), make_instrument(), detected_files=seen("a.csv", "x/b.csv"))

    assert answer.status_code == 201
    shown = answer.json()
    assert (shown["file_count"], shown["total_size_bytes"], shown["status"]) == (2, 6, "pending_upload")


def test_reporting_again_adds_what_is_new_and_leaves_what_is_known(as_token):
    instrument, api = make_instrument(), as_token()
    report(api, instrument, detected_files=seen("a.csv"))
    known = File.objects.values().get()

    answer = report(api, instrument, detected_files=[*seen("a.csv", "b.csv"), {**seen("a.csv")[0], "size_bytes": 9}])

    assert (answer.status_code, answer.json()["file_count"]) == (200, 2)
    assert File.objects.filter(pk=known["id"]).values().get() == known


def test_a_change_of_a_run_adds_files_too(as_token):
    run = make_run()

    answer = as_token("runs:update").patch(path_of(run), {"detected_files": seen("a.csv")})

    assert (answer.status_code, answer.json()["file_count"]) == (200, 1)


def test_a_dismissed_path_is_skipped(as_token):
    file = make_file("a.csv", deleted_at=now())

    answer = as_token().patch(path_of(file.run), {"detected_files": seen("a.csv", "b.csv")})

    assert answer.json()["file_count"] == 1
    file.refresh_from_db()
    assert file.deleted_at is not None


def test_a_path_named_twice_is_one_file(as_token):
    answer = as_token().patch(path_of(make_run()), {"detected_files": seen("a.csv", "a.csv")})

    assert answer.json()["file_count"] == 1


def test_a_bad_file_refuses_the_run_too(as_token):
    answer = report(as_token(), make_instrument(), detected_files=[*seen("a.csv"), *seen("../b.csv")])

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["detected_files.1.relative_path"]
    assert not Run.objects.exists()


def test_a_deleted_run_takes_no_files(as_token):
    api, run = as_token(), make_run()
    api.delete(path_of(run))

    answer = api.patch(path_of(run), {"detected_files": seen("a.csv")})

    assert answer.status_code == 409
    assert not File.objects.exists()


def test_a_thousand_files_are_one_statement(as_token, django_assert_max_num_queries):
    run, api = make_run(), as_token(last_used_at=now())

    with django_assert_max_num_queries(9) as queries:
        answer = api.patch(path_of(run), {"detected_files": seen(*(f"x/{number}.csv" for number in range(1000)))})

    assert answer.json()["file_count"] == 1000
    assert (
        len([query for query in queries if 'INSERT INTO "files_file" ' in query["sql"]]) == 1
    )  # after a comment that says who


def test_a_thousand_and_one_are_400(as_token):
    files = seen(*(f"{number}.csv" for number in range(1001)))

    assert as_token().patch(path_of(make_run()), {"detected_files": files}).status_code == 400


def test_known_files_go_in_natural_order_and_report_kind(as_token):
    run = make_run()

    as_token().patch(path_of(run), {"detected_files": seen("f10.png", "f9.jdx")})

    found = run.files.order_by("natural_key").values_list("filename", "report_kind")
    assert list(found) == [("f9.jdx", "spectrum"), ("f10.png", "image")]
