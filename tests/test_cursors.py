"""Lists by cursor: every row that was there all along comes exactly once, whatever comes meanwhile."""

from datetime import timedelta

import pytest

from tests.factories import make_comment, make_file, make_instrument, make_run, make_user
from wire.clock import now

RUNS = "/api/v1/instruments/reader/runs"
SORTS = ["acquired_at", "created_at", "updated_at", "run_id", "total_size_bytes"]


@pytest.fixture
def reader(db):
    return make_instrument(id="reader")


def walk(api, path, *, per_page=2, between=lambda: None):
    """All rows, page by page."""
    rows, cursor = [], ""
    while cursor is not None:
        answer = api.get(f"{path}{'&' if '?' in path else '?'}per_page={per_page}&cursor={cursor}")
        assert answer.status_code == 200, answer.json()
        body = answer.json()
        assert len(body["data"]) <= per_page
        rows += body["data"]
        cursor = body["pagination"]["next_cursor"]
        between()
    return rows


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", SORTS)
def test_runs_come_once_in_the_order_of_the_pages(as_token, reader, sort, order):
    for number in range(5):
        make_run(instrument=reader, run_id=f"r{number}", acquired_at=now() - timedelta(days=number % 2))
    api, path = as_token(), f"{RUNS}?sort={sort}&order={order}"

    by_cursor = [row["run_id"] for row in walk(api, path)]

    assert by_cursor == [row["run_id"] for row in api.get(path).json()["data"]]
    assert len(set(by_cursor)) == 5


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("sort", SORTS)
def test_what_comes_meanwhile_shifts_nothing(as_token, reader, sort, order):
    names = {f"m{number}" for number in range(6)}
    for name in names:
        make_run(instrument=reader, run_id=name, acquired_at=now() - timedelta(days=900))
    numbers = iter(range(3))

    def add():
        for number in [next(numbers, None)]:
            for letter, days in (("a", 2_000), ("z", 1)) if number is not None else ():
                make_run(instrument=reader, run_id=f"{letter}{number}", acquired_at=now() - timedelta(days=days))

    seen = [row["run_id"] for row in walk(as_token(), f"{RUNS}?sort={sort}&order={order}", between=add)]

    assert sorted(name for name in seen if name in names) == sorted(names)
    assert len(seen) == len(set(seen))


def test_every_list_takes_a_cursor(as_admin, reader):
    run = make_run(instrument=reader, run_id="7")
    for number in range(3):
        make_comment(run=run, user=make_user(display_name="Same"))
        make_file(f"{number}.bin", run=run)
        make_instrument(id=f"other-{number}", display_name="Same")
    api = as_admin()
    api.delete(f"{RUNS}/7")

    for path, count in {
        f"{RUNS}/7/comments": 3,
        f"{RUNS}/7/files": 3,
        "/api/v1/instruments": 4,
        "/api/v1/people": 4,
        "/api/v1/users": 4,
        "/api/v1/settings/watcher-releases": 0,
        "/api/v1/watchers": 0,
        "/api/v1/notifications": 0,
        "/api/v1/tokens": 0,
    }.items():
        rows = walk(api, path, per_page=1)
        assert len({str(row["id"]) for row in rows}) == len(rows) == count, path


def test_the_history_goes_on_behind_its_cursor(as_token, reader):
    make_run(instrument=reader, run_id="7")
    api = as_token()
    for number in range(3):
        api.patch(f"{RUNS}/7", {"metadata": {"n": number}})

    rows = walk(api, f"{RUNS}/7/history", per_page=1)

    assert [row["id"] for row in rows] == [row["id"] for row in api.get(f"{RUNS}/7/history").json()["data"]]
    assert len(rows) >= 3


@pytest.mark.parametrize("bad", ["x", "WyJ4Il0:1:2", "{other}"])
def test_a_cursor_of_elsewhere_is_refused(as_token, reader, bad):
    for number in range(3):
        make_run(instrument=reader, run_id=f"r{number}")
    api = as_token()
    other = api.get(f"{RUNS}?sort=run_id&per_page=1&cursor=").json()["pagination"]["next_cursor"]

    answer = api.get(f"{RUNS}?sort=created_at&cursor={bad.format(other=other)}")

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["cursor"]
