"""Which requests wait in the lane of queries, and that their work ends when the client leaves."""

import asyncio

import pytest

from datasets.requests import ABANDONMENT
from web.lanes.queries import QueryLane, is_query


def scope(path, query=b"", method="GET"):
    return {"type": "http", "method": method, "path": path, "query_string": query, "client": ("127.0.0.1", 1)}


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
