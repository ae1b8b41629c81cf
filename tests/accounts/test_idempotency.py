"""POST under an Idempotency-Key: once, with the first answer."""

from datetime import timedelta
from uuid import uuid4

import pytest

from accounts.idempotency import forget_answers
from accounts.models import IdempotentAnswer, Token
from instruments.models import GroupInstrument, Instrument, Membership
from runs.models import Comment, Run
from tests.clients import Api
from tests.factories import make_group, make_instrument, make_run, make_token_with_text, make_watcher
from tests.races import at_once
from watchers.models import Watcher
from wire.clock import now

RUN = "/api/v1/instruments/reader/runs/7"
COMMENTS = f"{RUN}/comments"


@pytest.fixture
def run(db):
    return make_run(instrument=make_instrument(id="reader"), run_id="7")


def test_the_first_answer_is_given_again(as_token, run):
    api = as_token()

    answers = [api.post(COMMENTS, {"body": "once"}, Idempotency_Key="a") for _ in range(2)]

    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json() == answers[1].json()
    assert [answer.headers.get("Idempotency-Replayed") for answer in answers] == [None, "true"]
    assert answers[0].headers["ETag"] == answers[1].headers["ETag"]
    assert Comment.objects.count() == 1


def test_a_run_that_was_made_was_made_when_asked_again(as_token, run):
    api = as_token()
    first = api.post("/api/v1/instruments/reader/runs", {"run_id": "8"}, Idempotency_Key="a")
    api.patch("/api/v1/instruments/reader/runs/8", {"metadata": {"a": 2}})

    second = api.post("/api/v1/instruments/reader/runs", {"run_id": "8"}, Idempotency_Key="a")

    assert (second.status_code, second.json()) == (201, first.json())
    assert Run.objects.get(run_id="8").caller_metadata == {"a": 2}


def test_another_body_or_route_under_the_key_is_refused(as_token, run):
    api = as_token()
    api.post(COMMENTS, {"body": "one"}, Idempotency_Key="a")

    refused = [
        api.post(COMMENTS, {"body": "two"}, Idempotency_Key="a"),
        api.post(f"{RUN}/restore", Idempotency_Key="a"),
    ]

    assert [answer.status_code for answer in refused] == [409, 409]
    assert refused[0].json()["error"]["details"] == {"idempotency_key": "a"}
    assert Comment.objects.count() == 1


def test_other_keys_and_none_do_not_repeat(as_token, run):
    api = as_token()

    for headers in ({"Idempotency_Key": "a"}, {"Idempotency_Key": "b"}, {}, {}):
        assert api.post(COMMENTS, {"body": "again"}, **headers).status_code == 201

    assert Comment.objects.count() == 4


def test_the_key_of_one_caller_is_not_that_of_another(as_token, as_person, run):
    for api in (as_token(), as_token(), as_person()):
        assert api.post(COMMENTS, {"body": "mine"}, Idempotency_Key="a").status_code == 201

    assert Comment.objects.count() == 3


def test_a_refusal_keeps_nothing(as_token, run):
    api = as_token()

    assert api.post(COMMENTS, {"body": ""}, Idempotency_Key="a").status_code == 400
    assert not IdempotentAnswer.objects.exists()
    assert api.post(COMMENTS, {"body": "once"}, Idempotency_Key="a").status_code == 201


def test_what_a_refusal_leaves_on_purpose_stays(as_token):
    """As without a key: the note of a second computer under one watcher id."""
    api = as_token()
    watcher = make_watcher(token=api.token)

    statuses = [
        api.post(
            f"/api/v1/watchers/{watcher.pk}/heartbeat",
            {"status": "watching", "instance_id": str(uuid4())},
            Idempotency_Key=key,
        ).status_code
        for key in ("a", "b")
    ]

    assert statuses == [200, 409]
    assert Watcher.objects.get().instance_conflict_at is not None


def test_a_key_of_other_signs_is_refused(as_token, run):
    assert as_token().post(COMMENTS, {"body": "x"}, Idempotency_Key="a\x01").status_code == 400


@pytest.mark.parametrize(("length", "status"), [(0, 400), (64, 201), (65, 400)], ids=str)
def test_a_key_has_1_to_64_characters(as_token, run, length, status):
    assert as_token().post(COMMENTS, {"body": "x"}, Idempotency_Key="k" * length).status_code == status


def test_an_answer_is_sealed_and_forgotten_after_a_day(as_admin, run):
    body = {"name": "script", "scopes": ["runs:read"]}
    made = as_admin().post("/api/v1/tokens", body, Idempotency_Key="a")
    kept = IdempotentAnswer.objects.get()
    assert made.json()["token"] not in kept.sealed_body

    forget_answers(at=now() + timedelta(hours=23))
    assert IdempotentAnswer.objects.exists()
    forget_answers(at=now() + timedelta(hours=25))
    assert not IdempotentAnswer.objects.exists()


def test_after_a_day_the_key_is_new(as_token, run):
    api = as_token()
    api.post(COMMENTS, {"body": "one"}, Idempotency_Key="a")
    IdempotentAnswer.objects.update(created_at=now() - timedelta(hours=25))

    assert api.post(COMMENTS, {"body": "two"}, Idempotency_Key="a").status_code == 201
    assert Comment.objects.count() == 2


def test_who_left_the_group_is_not_told_the_answer_again(as_person, run):
    person = as_person()
    group = make_group(person.user, instruments=[run.instrument])
    Instrument.objects.update(visibility="groups")
    asked = (COMMENTS, {"body": "their secret"})
    first = person.post(*asked, Idempotency_Key="a")
    Membership.objects.filter(group=group).delete()

    again = person.post(*asked, Idempotency_Key="a")

    assert (first.status_code, again.status_code) == (201, 409)
    assert "secret" not in again.content.decode()
    assert again.json()["error"]["details"] == {"idempotency_key": "a"}
    assert Comment.objects.count() == 1


def test_who_sees_as_much_or_more_is_told_the_answer_again(as_person, run):
    person = as_person()
    group = make_group(person.user, instruments=[run.instrument])
    other = make_instrument()
    Instrument.objects.update(visibility="groups")
    first = person.post(COMMENTS, {"body": "ours"}, Idempotency_Key="a")
    GroupInstrument.objects.create(group=group, instrument=other)

    again = person.post(COMMENTS, {"body": "ours"}, Idempotency_Key="a")

    assert (again.status_code, again.json()) == (201, first.json())


def test_a_bound_token_that_is_bound_closer_is_not_told_the_answer_again(as_token, run):
    api = as_token(instrument_ids=["reader", make_instrument().pk])
    api.post(COMMENTS, {"body": "a"}, Idempotency_Key="a")
    Token.objects.update(instrument_ids=[Instrument.objects.exclude(pk="reader").get().pk])

    assert api.post(COMMENTS, {"body": "a"}, Idempotency_Key="a").status_code == 409


def test_an_answer_of_the_release_before_is_told_again(as_token, run):
    api = as_token(instrument_ids=["reader"])
    api.post(COMMENTS, {"body": "a"}, Idempotency_Key="a")
    IdempotentAnswer.objects.update(sight=None)

    assert api.post(COMMENTS, {"body": "a"}, Idempotency_Key="a").status_code == 201


@pytest.mark.django_db(transaction=True)
def test_twins_at_once_write_once():
    make_run(instrument=make_instrument(id="reader"), run_id="7")
    _, text = make_token_with_text()

    answers = at_once(8, lambda _: Api(text=text).post(COMMENTS, {"body": "once"}, Idempotency_Key="a"))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert Comment.objects.count() == 1
