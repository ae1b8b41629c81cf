"""GET …/report-items."""

import pytest
from django.db import connection

from files.models import File
from tests.factories import make_file, make_run
from tests.files.sending import path_of
from wire.clock import now

pytestmark = pytest.mark.django_db


def make_images(count: int):
    run = make_run()
    for number in range(count):
        make_file(f"img{number}.png", run=run, status="uploaded")
    return run


def get(api, run, query):
    answer = api.get(f"{path_of(run)}/report-items?{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def numbers(found) -> list[int]:
    return [int(item["filename"].removeprefix("img").removesuffix(".png")) for item in found["data"]]


def test_items_have_id_and_name_in_natural_order(as_token):
    run = make_images(12)

    found = get(as_token("files:read"), run, "kind=image")

    assert numbers(found) == list(range(12))
    assert set(found["data"][0]) == {"id", "filename"}
    assert found["pagination"] == {"offset": 0, "limit": 50, "total": 12}


def test_each_kind_finds_its_own(as_token):
    run, api = make_run(), as_token()
    for name in ("a.png", "b.pdf", "c.jdx", "d.csv", "e.raw"):
        make_file(name, run=run, status="uploaded")
    make_file("curves.json", run=run, status="completed", category="processed", extracted={"kind": "curve"})

    found = {
        kind: [item["filename"] for item in get(api, run, f"kind={kind}")["data"]]
        for kind in ("image", "pdf", "spectrum")
    }

    assert found == {"image": ["a.png"], "pdf": ["b.pdf"], "spectrum": ["c.jdx", "curves.json", "d.csv"]}


def test_only_stored_and_active_files_are_items(as_token):
    run = make_run()
    make_file("a.png", run=run)
    make_file("b.png", run=run, deleted_at=now())
    make_file("c.png", run=run, status="failed")

    assert [item["filename"] for item in get(as_token(), run, "kind=image")["data"]] == ["c.png"]


def test_a_window_has_an_offset_and_a_limit(as_token):
    run = make_images(12)

    found = get(as_token(), run, "kind=image&offset=5&limit=3")

    assert numbers(found) == [5, 6, 7]
    assert found["pagination"] == {"offset": 5, "limit": 3, "total": 12}


def test_an_offset_past_the_end_is_empty(as_token):
    run = make_images(2)

    found = get(as_token(), run, "kind=image&offset=9223372036854775807")

    assert (found["data"], found["pagination"]["total"]) == ([], 2)


@pytest.mark.parametrize(
    ("anchor", "limit", "offset"), [(0, 5, 0), (1, 5, 0), (6, 5, 4), (6, 4, 4), (11, 5, 7), (10, 5, 7), (6, 200, 0)]
)
def test_an_anchor_is_in_the_middle_of_its_window_clamped_at_both_ends(as_token, anchor, limit, offset):
    run = make_images(12)
    file_id = File.objects.get(filename=f"img{anchor}.png").pk

    found = get(as_token(), run, f"kind=image&anchor={file_id}&limit={limit}&offset=3")

    assert numbers(found) == list(range(12))[offset : offset + limit]
    assert found["pagination"] == {"offset": offset, "limit": limit, "total": 12, "anchor_index": anchor}


def test_equal_names_are_told_apart_by_id(as_token):
    run = make_run()
    files = [make_file("a.png", run=run, relative_path=f"{folder}/a.png", status="uploaded") for folder in "zyx"]

    found = get(as_token(), run, f"kind=image&anchor={files[1].pk}&limit=1")

    assert (found["data"][0]["id"], found["pagination"]["anchor_index"]) == (files[1].pk, 1)


def test_a_search_narrows_the_list_that_the_anchor_stands_in(as_token):
    run = make_images(12)
    file_id = File.objects.get(filename="img11.png").pk

    found = get(as_token(), run, f"kind=image&search=IMG1&anchor={file_id}")

    assert numbers(found) == [1, 10, 11]
    assert found["pagination"]["anchor_index"] == 2


def test_an_anchor_outside_the_filtered_list_is_404(as_token):
    run, api = make_images(3), as_token()
    here = File.objects.get(filename="img2.png").pk
    elsewhere = make_file("img9.png", status="uploaded").pk

    answers = [
        api.get(f"{path_of(run)}/report-items?kind=image&anchor={elsewhere}"),
        api.get(f"{path_of(run)}/report-items?kind=pdf&anchor={here}"),
        api.get(f"{path_of(run)}/report-items?kind=image&search=img1&anchor={here}"),
        api.get(f"{path_of(run)}/report-items?kind=image&anchor=9223372036854775807"),
    ]

    assert [answer.status_code for answer in answers] == [404] * 4


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("", "kind"),
        ("kind=", "kind"),
        ("kind=table", "kind"),
        ("kind=image&offset=-1", "offset"),
        ("kind=image&offset=", "offset"),
        ("kind=image&limit=0", "limit"),
        ("kind=image&limit=201", "limit"),
        ("kind=image&limit=", "limit"),
        ("kind=image&anchor=0", "anchor"),
        ("kind=image&anchor=", "anchor"),
        ("kind=image&anchor=%D9%A1", "anchor"),
        ("kind=image&anchor=9223372036854775808", "anchor"),
    ],
)
def test_bad_input_is_named(as_token, query, field):
    answer = as_token().get(f"{path_of(make_run())}/report-items?{query}")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]


def test_a_deleted_run_still_has_its_report(as_token):
    api, run = as_token(), make_images(1)
    api.delete(path_of(run))

    assert get(api, run, "kind=image")["pagination"]["total"] == 1


def test_an_unknown_run_is_404(as_token):
    assert as_token().get(f"{path_of(make_run())}-none/report-items?kind=image").status_code == 404


@pytest.mark.parametrize(("more", "queries"), [("", 4), ("&anchor={}", 6)])
def test_queries_do_not_grow_with_the_files(as_token, django_assert_num_queries, more, queries):
    run, api = make_images(20), as_token(last_used_at=now())
    anchor = File.objects.get(filename="img10.png").pk

    with django_assert_num_queries(queries):
        api.get(f"{path_of(run)}/report-items?kind=image{more.format(anchor)}")


def test_the_index_serves_the_window_in_order():
    run = make_images(3)
    items = File.objects.filter(run=run, report_kind="image").active().stored().order_by("natural_key", "id")

    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    plan = items.explain()

    assert "kept_report_items" in plan
    assert "Sort" not in plan
