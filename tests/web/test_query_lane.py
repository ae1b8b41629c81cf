"""Which requests wait in the lane of queries, and that their work ends when the client leaves."""

import asyncio

import pytest

from datasets.requests import ABANDONMENT
from web.lanes.queries import QueryLane, is_query, may_take_long


def scope(path, query=b"", method="GET", accept=b"*/*"):
    asked = {"method": method, "path": path, "query_string": query, "headers": [(b"accept", accept)]}
    return {"type": "http", "client": ("127.0.0.1", 1), **asked}


@pytest.mark.parametrize(
    ("path", "query", "taken"),
    [
        ("/api/v1/datasets/x/rows", b"", True),
        ("/api/v1/datasets/x", b"", True),
        ("/api/v1/dataset-rows", b"name=x", True),
        ("/datasets/x", b"", True),
        ("/api/v1/datasets", b"", False),
        ("/api/v1/instrument-runs", b"format=csv", True),
        ("/api/v1/instrument-runs", b"format=json", False),
        ("/api/v1/instrument-runs", b"", False),
        ("/api/v1/instruments/a/runs", b"page=1&format=arrow", True),
        ("/api/v1/watchers/x/heartbeat", b"", False),
    ],
)
def test_rows_and_exports_are_taken(path, query, taken):
    assert is_query(scope(path, query)) is taken


def test_a_post_is_never_taken():
    assert not is_query(scope("/api/v1/dataset-rows", method="POST"))


def test_who_works_is_told_when_the_client_leaves():
    seen = []

    async def work(scope, receive, send):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        seen.append(scope[ABANDONMENT].is_abandoned)

    async def leave():
        return {"type": "http.disconnect"}

    asyncio.run(QueryLane(work)(scope("/api/v1/dataset-rows"), leave, None))

    assert seen == [True]


@pytest.mark.parametrize(
    ("path", "query", "accept", "is_long"),
    [
        ("/api/v1/datasets/x", b"", b"*/*", False),
        ("/api/v1/datasets/x/rows", b"limit=96&offset=0", b"application/json", False),
        ("/api/v1/datasets/x/rows", b"format=json&columns=well", b"*/*", False),
        ("/api/v1/datasets/x/rows", b"where=od:gt:1", b"*/*", True),
        ("/api/v1/datasets/x/rows", b"order_by=-od", b"*/*", True),
        ("/api/v1/datasets/x/rows", b"format=json&aggregate=mean:od", b"*/*", True),
        ("/api/v1/datasets/x/rows", b"format=arrow", b"*/*", True),
        ("/api/v1/datasets/x/rows", b"", b"text/csv", True),
        ("/api/v1/dataset-rows", b"name=plate", b"*/*", True),
        ("/datasets/x", b"", b"text/html", False),
        ("/datasets/x", b"page=2&order_by=od", b"text/html", True),
        ("/api/v1/instrument-runs", b"format=csv", b"*/*", True),
    ],
)
@pytest.mark.parametrize("takes", [True, False])
def test_what_may_take_long_is_answered_elsewhere(path, query, accept, is_long, takes):
    asked = scope(path, query, accept=accept)
    assert is_query(asked)
    assert may_take_long(asked) is is_long
    answered = []

    async def here(scope, receive, send):
        answered.append("here")

    def elsewhere(scope):
        answered.append("elsewhere")
        return takes

    async def wait():
        await asyncio.sleep(60)

    asyncio.run(QueryLane(here, elsewhere=elsewhere)(asked, wait, None))
    asyncio.run(QueryLane(here)(asked, wait, None))

    assert answered == [*(["elsewhere"] if is_long else []), *([] if is_long and takes else ["here"]), "here"]
