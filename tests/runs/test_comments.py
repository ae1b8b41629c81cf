import pytest

from runs.models import Comment
from tests.factories import make_comment, make_instrument, make_run, make_token, make_user

COMMENTS = "/api/v1/instruments/reader/runs/7/comments"


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="reader"), run_id="7")


@pytest.mark.usefixtures("run")
def test_a_persons_comment_shows_the_person(as_person):
    api = as_person(display_name="Ada Lovelace")

    answer = api.post(COMMENTS, {"body": "**bold**"})

    assert answer.status_code == 201
    assert answer.json() | {"created_at": "", "etag": ""} == {
        "id": str(Comment.objects.get().id),
        "body": "**bold**",
        "user": {"id": str(api.user.id), "display_name": "Ada Lovelace", "initials": "AL"},
        "token": None,
        "created_at": "",
        "edited_at": None,
        "etag": "",
    }


@pytest.mark.usefixtures("run")
def test_a_tokens_comment_shows_the_token_and_nobody(as_token):
    api = as_token("runs:comment", name="nightly")

    answer = api.post(COMMENTS, {"body": "by a script", "user": {"id": "x"}, "edited_at": "2001-01-01T00:00:00Z"})

    assert answer.json()["user"] is None
    assert answer.json()["token"] == {"id": str(api.token.id), "name": "nightly"}
    assert answer.json()["edited_at"] is None


def test_the_name_of_a_revoked_token_stays(as_token, run):
    make_comment(run=run, token=make_token(name="gone", revoked_at="2026-01-01T00:00Z"))

    assert as_token().get(COMMENTS).json()["data"][0]["token"]["name"] == "gone"


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("x" * 10_000, "x" * 10_000),
        ("\U0001f600" * 10_000, "\U0001f600" * 10_000),
        ("y" * 10_000 + "  \n ", "y" * 10_000),
        ("a\r\nb\rc\r\r\nd", "a\nb\nc\n\nd"),
        ("a\n\tb", "a\n\tb"),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ],
)
def test_a_body_is_kept_without_its_trailing_space(as_token, sent, kept):
    assert as_token().post(COMMENTS, {"body": sent}).json()["body"] == kept


@pytest.mark.usefixtures("run")
@pytest.mark.parametrize("bad", ["x" * 10_001, "", "   ", "\n\t", None, 5, ["x"], {"a": 1}, "a\0b", "a\x08b", "a\x1bb"])
def test_a_bad_body_is_refused(as_token, bad):
    answer = as_token().post(COMMENTS, {"body": bad})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["body"]
    assert not Comment.objects.exists()


def test_the_list_shows_active_comments_oldest_first(as_token, run):
    for minute, body in enumerate(["one", "two", "three", "four"]):
        make_comment(run=run, body=body, created_at=f"2026-01-01T00:0{minute}Z")
    Comment.objects.filter(body="two").update(deleted_at="2026-01-02T00:00Z")

    answer = as_token("runs:read").get(f"{COMMENTS}?per_page=2").json()

    assert [row["body"] for row in answer["data"]] == ["one", "three"]
    assert answer["pagination"] == {"page": 1, "per_page": 2, "total": 3, "total_pages": 2}


def test_its_author_edits_a_comment(as_person, run):
    api = as_person()
    comment = make_comment(run=run, user=api.user)

    answer = api.patch(f"{COMMENTS}/{comment.id}", {"body": "new"})

    comment.refresh_from_db()
    assert answer.json()["body"] == comment.body == "new"
    assert answer.json()["edited_at"] is not None


def test_its_author_deletes_a_comment(as_person, run):
    api = as_person()
    comment = make_comment(run=run, user=api.user)

    answer = api.delete(f"{COMMENTS}/{comment.id}")

    comment.refresh_from_db()
    assert (answer.status_code, answer.json()["id"]) == (200, str(comment.id))
    assert comment.deleted_at is not None
    assert api.patch(f"{COMMENTS}/{comment.id}", {"body": "x"}).status_code == 404


def test_nobody_else_touches_a_comment(as_person, as_admin, as_token, run):
    comment = make_comment(run=run, user=make_user(), body="mine")

    for other in (as_person(), as_admin(), as_token()):
        assert other.patch(f"{COMMENTS}/{comment.id}", {"body": "stolen"}).status_code == 403
        assert other.delete(f"{COMMENTS}/{comment.id}").status_code == 403

    comment.refresh_from_db()
    assert (comment.body, comment.edited_at, comment.deleted_at) == ("mine", None, None)


def test_the_creator_of_a_token_is_not_the_author_of_its_comments(as_admin, run):
    admin = as_admin()
    comment = make_comment(run=run, token=make_token(created_by=admin.user))

    assert admin.delete(f"{COMMENTS}/{comment.id}").status_code == 403


def test_comments_of_a_deleted_run_can_be_read_only(as_person, run):
    api = as_person()
    comment = make_comment(run=run, user=api.user)
    api.delete("/api/v1/instruments/reader/runs/7")

    refused = [
        api.post(COMMENTS, {"body": "x"}),
        api.patch(f"{COMMENTS}/{comment.id}", {"body": "x"}),
        api.delete(f"{COMMENTS}/{comment.id}"),
    ]

    assert [answer.status_code for answer in refused] == [409, 409, 409]
    assert all("deleted_at" in answer.json()["error"]["details"] for answer in refused)
    assert len(api.get(COMMENTS).json()["data"]) == 1


def test_a_comment_is_found_under_its_own_run_only(as_token, run):
    api = as_token()
    comment = make_comment(run=run, token=api.token)
    make_run(instrument=run.instrument, run_id="8")

    assert api.patch(f"/api/v1/instruments/reader/runs/8/comments/{comment.id}", {"body": "x"}).status_code == 404
    assert api.delete(f"/api/v1/instruments/reader/runs/8/comments/{comment.id}").status_code == 404
    assert api.delete(f"{COMMENTS}/00000000-0000-4000-8000-000000000000").status_code == 404
    assert api.delete(f"{COMMENTS}/{str(comment.id)[:-1]}").status_code == 404
