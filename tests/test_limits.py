"""What the contract bounds by a number: so much is taken, one more is refused, and the field is named."""

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

import pytest

from tests.datasets.making import make_dataset
from tests.factories import make_comment, make_file, make_instrument, make_run, make_watcher
from wire.clock import format_timestamp, now

API = "/api/v1"
READER = f"{API}/instruments/reader"
RUN = f"{READER}/runs/7"
EVENT = {"event_type": "error", "timestamp": format_timestamp(now()), "message": "x"}
WEEK = 7 * 24 * 3600


class Body(NamedTuple):
    """`make(n)` is a body of the size n; it is sent to `path` as a token, unless an admin is to send it."""

    path: str
    field: str
    most: int
    make: Callable[[int], Any]
    method: str = "POST"
    by: str = "token"


def entries(count: int) -> list[dict[str, Any]]:
    return [{"filename": f"{number}.csv", "relative_path": f"{number}.csv"} for number in range(count)]


def deep_path(size: int) -> dict[str, Any]:
    return {"filename": "a.csv", "relative_path": "x" * (size - len("/a.csv")) + "/a.csv"}


BODIES = [
    Body(f"{API}/instruments", "id", 64, lambda n: {"id": "i" * n}),
    Body(f"{READER}/runs", "run_id", 255, lambda n: {"run_id": "r" * n}),
    Body(f"{READER}/runs", "detected_files", 1_000, lambda n: {"run_id": "8", "detected_files": entries(n)}),
    Body(f"{RUN}/comments", "body", 10_000, lambda n: {"body": "ä" * n}),
    Body(f"{RUN}/comments/COMMENT", "body", 10_000, lambda n: {"body": "ä" * n}, method="PATCH"),
    Body(f"{RUN}/files", "filename", 255, lambda n: {"filename": "f" * n}),
    Body(f"{RUN}/files", "relative_path", 1_024, deep_path),
    Body(f"{RUN}/files:batch", "files", 200, lambda n: {"files": [entry | {"size_bytes": 1} for entry in entries(n)]}),
    Body(f"{RUN}/files:confirm", "file_ids", 200, lambda n: {"file_ids": list(range(1, n + 1))}),
    Body(f"{API}/watchers/WATCHER/events", "events", 500, lambda n: {"events": [EVENT] * n}),
    Body(f"{API}/notifications/dispatch", "message", 2_000, lambda n: {"user_ids": [str(uuid4())], "message": "m" * n}),
    Body(
        f"{API}/notifications/dispatch",
        "user_ids",
        100,
        lambda n: {"user_ids": [str(uuid4()) for _ in range(n)], "message": "m"},
    ),
    Body(f"{API}/tokens", "name", 100, lambda n: {"name": "t" * n, "scopes": ["read"]}, by="admin"),
    Body(f"{API}/enrolment-codes", "count", 200, lambda n: {"new_instrument": {}, "count": n}, by="admin"),
    Body(
        f"{API}/enrolment-codes", "expires_in", WEEK, lambda n: {"instrument_id": "reader", "expires_in": n}, by="admin"
    ),
]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: f"{body.method} {body.path.removeprefix(API)} {body.field}")
def test_a_body_of_the_size_is_taken_and_a_larger_one_is_refused(as_token, as_admin, body):
    api = as_token() if body.by == "token" else as_admin()
    instrument = make_instrument(id="reader")
    run = make_run(instrument=instrument, run_id="7")
    watcher = make_watcher(instrument=instrument, token=api.token)
    comment = make_comment(run=run, token=api.token) if api.token else None
    path = body.path.replace("WATCHER", str(watcher.pk)).replace("COMMENT", str(comment and comment.pk))

    over = api.send(body.method, path, body.make(body.most + 1))
    held = api.send(body.method, path, body.make(body.most))

    assert held.status_code in (200, 201)
    assert over.status_code == 400
    assert list(over.json()["error"]["details"]["fields"]) == [body.field]


QUERIES = [
    (f"{API}/instrument-runs?page=", "page", 1, 1_000_000),
    (f"{API}/instrument-runs?per_page=", "per_page", 1, 100),
    (f"{RUN}/report-items?kind=image&limit=", "limit", 1, 200),
    (f"{API}/datasets/DATASET/rows?limit=", "limit", 1, 100_000),
    (f"{API}/datasets/DATASET/rows?max_points=", "max_points", 10, 100_000),
]


@pytest.mark.parametrize(("path", "field", "least", "most"), QUERIES, ids=[query[0] for query in QUERIES])
def test_a_number_within_its_bounds_is_taken_and_others_are_refused(as_token, path, field, least, most):
    api = as_token()
    run = make_run(instrument=make_instrument(id="reader"), run_id="7")
    dataset = make_dataset({"x": [1.0], "y": [2.0]}, run=run, roles={"x": "axis", "y": "value"})
    path = path.replace("DATASET", str(dataset.pk))

    answers = {number: api.get(f"{path}{number}") for number in (least - 1, least, most, most + 1)}

    assert [answer.status_code for answer in answers.values()] == [400, 200, 200, 400]
    for number in (least - 1, most + 1):
        assert list(answers[number].json()["error"]["details"]["fields"]) == [field]


def test_a_search_is_for_2_to_200_characters(as_token):
    api = as_token()

    answers = [api.get(f"{API}/search?q={'q' * size}") for size in (1, 2, 200, 201)]

    assert [answer.status_code for answer in answers] == [400, 200, 200, 400]
    assert [list(answer.json()["error"]["details"]["fields"]) for answer in (answers[0], answers[3])] == [["q"]] * 2


def test_a_run_has_thirty_tags(as_token):
    api = as_token()
    make_run(instrument=make_instrument(id="reader"), run_id="7")

    answers = [api.put(f"{RUN}/tags/t-{number}") for number in range(31)]

    assert [answer.status_code for answer in answers] == [200] * 30 + [409]
    assert answers[-1].json()["error"]["details"] == {"max_tags": 30}


def test_metadata_has_256_kib(as_token):
    api = as_token()
    make_instrument(id="reader")
    most = 256 * 1024 - len('{"k":""}')

    answers = [api.post(f"{READER}/runs", {"run_id": "8", "metadata": {"k": "x" * size}}) for size in (most + 1, most)]

    assert [answer.status_code for answer in answers] == [413, 201]
    assert answers[0].json()["error"]["details"]["field"] == "metadata"


def test_upload_is_asked_for_100_files_and_16_parts_at_once(as_token):
    api = as_token()
    run = make_run(instrument=make_instrument(id="reader"), run_id="7")
    make_watcher(instrument=run.instrument)
    files = [make_file(f"{number}.csv", run=run).pk for number in range(101)]
    asked = {"filename": "a.bin", "size_bytes": 17 * 5 * 1024**2, "part_size": 5 * 1024**2, "crc32": "00000000"}
    ticket = api.post(f"{RUN}/request-upload-url", asked).json()
    parts = [{"part_number": number, "crc32": "00000000"} for number in range(1, 18)]

    queued = [api.post(f"{RUN}/request-upload", {"file_ids": files[:count]}) for count in (101, 100)]
    addressed = [
        api.post(
            f"{API}/files/{ticket['file_id']}/multipart-upload/part-urls",
            {"upload_id": ticket["upload_id"], "parts": parts[:count]},
        )
        for count in (17, 16)
    ]

    assert [answer.status_code for answer in (*queued, *addressed)] == [400, 200, 400, 200]
    assert list(queued[0].json()["error"]["details"]["fields"]) == ["file_ids"]
    assert list(addressed[0].json()["error"]["details"]["fields"]) == ["parts"]


def test_an_idempotency_key_has_64_characters(as_token):
    api = as_token()

    answers = [
        api.send("POST", f"{API}/instruments", {"id": "reader"}, Idempotency_Key="k" * size) for size in (65, 64)
    ]

    assert [answer.status_code for answer in answers] == [400, 201]
    assert "Idempotency-Key" in answers[0].json()["error"]["message"]
