"""What is asked for under the wrong parent does not exist: runs, comments, files, watchers' and archives' things."""

from typing import Any

import pytest

from tests.clients import Api
from tests.factories import make_comment, make_file, make_instrument, make_run, make_token_with_text, make_user
from tests.files.sending import announced

pytestmark = pytest.mark.django_db
BENEATH_A_RUN: list[tuple[str, str, dict[str, Any] | None]] = [
    ("GET", "", None),
    ("PATCH", "", {"metadata": {}}),
    ("DELETE", "", None),
    ("POST", "/restore", None),
    ("POST", "/reprocess", None),
    ("POST", "/files:restore", None),
    ("GET", "/comments", None),
    ("POST", "/comments", {"body": "x"}),
    ("POST", "/comment-pictures", None),
    ("GET", "/files", None),
    ("GET", "/datasets", None),
    ("POST", "/files", {"filename": "a.csv"}),
    ("GET", "/report-items?kind=image", None),
    ("GET", "/history", None),
    ("POST", "/request-upload", {"file_ids": [1]}),
    ("POST", "/request-upload-url", announced(b"x")),
    ("POST", "/files:batch", {"files": [announced(b"x")]}),
    ("POST", "/files:confirm", {"file_ids": [1]}),
    ("GET", "/download-archive", None),
    ("GET", "/ro-crate", None),
    ("GET", "/hold", None),
    ("PUT", "/hold", {"reason": "An audit"}),
    ("DELETE", "/hold", None),
    ("GET", "/share-links", None),
    ("POST", "/share-links", {"days": 1}),
    ("DELETE", "/share-links/00000000-0000-0000-0000-000000000000", None),
    ("GET", "/signatures", None),
    ("POST", "/signatures", {"meaning": "reviewed", "password": "p"}),
    ("POST", "/signatures/passkey-question", {"meaning": "reviewed"}),
    ("POST", "/signatures/00000000-0000-0000-0000-000000000000/revoke", {"reason": "Wrong run"}),
    ("PUT", "/tags/qc", None),
    ("DELETE", "/tags/qc", None),
    ("PUT", "/attributions/me", None),
    ("DELETE", "/attributions/me", None),
]


@pytest.fixture
def everything():
    return Api(text=make_token_with_text()[1])


def path(instrument, run):
    return f"/api/v1/instruments/{instrument.pk}/runs/{run.run_id}"


@pytest.mark.parametrize(("method", "rest", "body"), BENEATH_A_RUN, ids=lambda value: str(value)[:20])
def test_a_run_under_another_instrument_does_not_exist(everything, method, rest, body):
    run, other = make_run(), make_instrument()
    api = (
        Api(user=make_user(is_admin=True))
        if rest.startswith(("/attributions", "/hold", "/signatures")) and method != "GET"
        else everything
    )

    answer = api.send(method, path(other, run) + rest, body)

    assert answer.status_code == 404, answer.content
    run.refresh_from_db()
    assert (run.deleted_at, run.files.count(), run.comment_count, run.claim_count) == (None, 0, 0, 0)


def fill_in(route, examples):
    for converter, value in examples.items():
        route = route.replace(converter, value)
    return route


def test_every_route_beneath_a_run_is_in_the_table():
    from tests.access_rows import RUN
    from tests.test_access_matrix import ROUTED

    nil = "00000000-0000-0000-0000-000000000000"
    examples = {"<slug_id:tag>": "qc", "<id:signature_id>": nil, "<id:link_id>": nil}
    routes = {route for route in ROUTED if route[1].startswith(RUN) and "comment_id" not in route[1]}
    beneath = {(method, fill_in(route.removeprefix(RUN), examples)) for method, route in routes}

    assert beneath <= {(method, rest.partition("?")[0]) for method, rest, _ in BENEATH_A_RUN}


@pytest.mark.parametrize(("method", "body"), [("PATCH", {"body": "mine now"}), ("DELETE", None)])
@pytest.mark.parametrize("same_instrument", [True, False])
def test_a_comment_under_another_run_does_not_exist(method, body, same_instrument):
    user, run = make_user(), make_run()
    comment = make_comment(run=run, user=user)
    other = make_run(instrument=run.instrument) if same_instrument else make_run()

    answer = Api(user=user).send(method, f"{path(other.instrument, other)}/comments/{comment.pk}", body)

    assert answer.status_code == 404
    comment.refresh_from_db()
    assert (comment.body, comment.deleted_at) == ("Looks right.", None)


def test_a_file_of_another_run_is_no_anchor(everything):
    run, file = make_run(), make_file("a.png", status="uploaded")
    make_file("b.png", status="uploaded", run=run)

    answer = everything.get(f"{path(run.instrument, run)}/report-items?kind=image&anchor={file.pk}")

    assert answer.status_code == 404


@pytest.mark.parametrize("rest", ["/download-archive?file_ids={id}", "/request-upload"])
def test_a_file_of_another_run_is_refused_among_file_ids(everything, rest):
    run, file = make_run(), make_file("a.png", status="uploaded")
    make_file("b.png", status="uploaded", run=run)
    method, body = ("POST", {"file_ids": [file.pk]}) if "request" in rest else ("GET", None)

    answer = everything.send(method, path(run.instrument, run) + rest.format(id=file.pk), body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


def test_an_unknown_and_a_foreign_file_read_the_same(everything):
    run, foreign = make_run(), make_file("a.png", status="uploaded")
    make_file("b.png", status="uploaded", run=run)
    asked = f"{path(run.instrument, run)}/report-items?kind=image&anchor="

    texts = {everything.get(f"{asked}{file_id}").json()["error"]["message"] for file_id in (foreign.pk, 999_999_999)}

    assert len(texts) == 1
