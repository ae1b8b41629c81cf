"""GET …/runs/{r}/files, and the files within a run's detail."""

import pytest
from django.db import connection

from files.choices import FileCategory, FileStatus
from files.listing import count_statuses, list_first_files
from files.models import File
from files.serializers import FileSerializer, represent_file
from tests.factories import make_file, make_run
from tests.files.sending import path_of
from wire.clock import now

pytestmark = pytest.mark.django_db


def names(answer) -> list[str]:
    assert answer.status_code == 200, answer.content
    return [file["filename"] for file in answer.json()["data"]]


def test_files_come_in_natural_order_then_by_id(as_token):
    run = make_run()
    for folder, name in [("", "f10.csv"), ("", "f2.csv"), ("b/", "F2.csv"), ("", "f1.csv"), ("a/", "f2.csv")]:
        make_file(name, run=run, relative_path=folder + name)

    answer = as_token("files:read").get(f"{path_of(run)}/files")

    assert [file["relative_path"] for file in answer.json()["data"]] == [
        "f1.csv",
        "f2.csv",
        "b/F2.csv",
        "a/f2.csv",
        "f10.csv",
    ]
    assert answer.json()["pagination"] == {"page": 1, "per_page": 20, "total": 5, "total_pages": 1}


def test_files_are_filtered_by_status(as_token):
    run = make_run()
    for status in ("detected", "uploaded", "failed"):
        make_file(f"{status}.csv", run=run, status=status)

    answer = as_token().get(f"{path_of(run)}/files?status=failed&status=uploaded")

    assert names(answer) == ["failed.csv", "uploaded.csv"]


def test_files_are_filtered_by_category(as_token):
    run = make_run()
    make_file("a.csv", run=run)
    make_file("a.png", run=run, category="processed", status="completed")

    assert names(as_token().get(f"{path_of(run)}/files?category=processed")) == ["a.png"]


def test_dismissed_files_are_shown_when_asked_for(as_token):
    run, api = make_run(), as_token()
    make_file("a.csv", run=run)
    make_file("b.csv", run=run, deleted_at=now())

    assert names(api.get(f"{path_of(run)}/files")) == ["a.csv"]
    assert names(api.get(f"{path_of(run)}/files?include_deleted=true")) == ["a.csv", "b.csv"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("plate", ["Plate_1.csv", "plate_2.csv"]),
        ("PLATE_1", ["Plate_1.csv"]),
        ("e_1", ["Plate_1.csv"]),
        ("%25", ["100%.csv"]),
        ("%5C", []),
        ("gr%C3%B6%C3%9Fe", ["Größe.csv"]),  # composed
        ("gro%CC%88%C3%9Fe", ["Größe.csv"]),  # decomposed
        ("GR%C3%96", ["Größe.csv"]),
        ("(a%2B)%2B$", []),
    ],
)
def test_a_search_is_a_part_of_the_name_in_any_case_and_form(as_token, search, found):
    run = make_run()
    for name in ("Plate_1.csv", "plate_2.csv", "100%.csv", "Gro\u0308ße.csv"):
        make_file(name, run=run)

    answer = as_token().get(f"{path_of(run)}/files?search={search}")

    assert names(answer) == [name.replace("ö", "o\u0308") for name in found]


@pytest.mark.parametrize(
    "query",
    ["status=done", "status=", "category=x", "include_deleted=1", "search=", "search=a%00", "page=0", "per_page=101"],
)
def test_a_bad_value_is_400_and_named(as_token, query):
    answer = as_token().get(f"{path_of(make_run())}/files?{query}")

    assert answer.status_code == 400
    named = list(answer.json()["error"]["details"]["fields"])
    assert named[0].startswith(query.partition("=")[0])


def test_a_search_of_50_kb_is_400(as_token):
    answer = as_token().get(f"{path_of(make_run())}/files?search={'x' * 50_000}")

    assert answer.status_code == 400


def test_files_of_a_deleted_run_can_be_read(as_token):
    api, run = as_token(), make_run()
    make_file("a.csv", run=run)
    api.delete(path_of(run))

    assert names(api.get(f"{path_of(run)}/files")) == ["a.csv"]


def test_files_of_other_runs_are_not_among_them(as_token):
    run = make_run()
    make_file("a.csv")

    assert names(as_token().get(f"{path_of(run)}/files")) == []


def test_a_page_past_the_end_is_empty_with_the_true_total(as_token):
    run = make_run()
    make_file(run=run)

    answer = as_token().get(f"{path_of(run)}/files?page=50")

    assert names(answer) == []
    assert answer.json()["pagination"]["total"] == 1


def test_queries_do_not_grow_with_the_files(as_token, django_assert_num_queries):
    run, api = make_run(), as_token(last_used_at=now())
    for _ in range(30):
        make_file(run=run)

    with django_assert_num_queries(4):  # token, run, count, page
        api.get(f"{path_of(run)}/files")


def test_the_fast_row_says_what_the_serializer_says():
    file = make_file(
        "a.csv", status="completed", caller_metadata={"a": [1, 2.5, None]}, error_message="x", crc32="0" * 8
    )

    assert represent_file(file) == FileSerializer(file).data


def test_an_index_gives_the_raw_files_in_their_order():
    run = make_run()
    make_file("a.csv", run=run)
    raw = File.objects.active().filter(run=run, category__in=["raw"]).order_by("natural_key", "id")

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    plan = raw.explain()

    assert "files_in_natural_order" in plan
    assert "Sort" not in plan


def test_statuses_are_counted_alike_from_rows_and_by_the_database():
    run = make_run()
    make_file(run=run)
    make_file(run=run, status=FileStatus.FAILED, uploaded_at=now())
    make_file(run=run, deleted_at=now())
    make_file(run=run, status=FileStatus.COMPLETED, uploaded_at=now(), category=FileCategory.PROCESSED)

    from_rows = count_statuses(run, list_first_files(run, limit=10), limit=10)

    assert from_rows == count_statuses(run, list_first_files(run, limit=1), limit=1)
    assert {status: count for status, count in from_rows.items() if count} == {"detected": 1, "failed": 1}
