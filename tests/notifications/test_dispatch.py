from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from notifications.models import Notification
from tests.clients import Api
from tests.factories import make_instrument, make_run, make_token_with_text, make_user

ROUTE = "/api/v1/notifications/dispatch"
NIL = "00000000-0000-4000-8000-000000000000"


def test_a_token_tells_people_under_its_own_name(as_token, as_person):
    ada, run = as_person(), make_run()

    answer = as_token("notifications:create", name="qc-bot").post(
        ROUTE,
        {
            "user_ids": [str(ada.user.pk)],
            "message": "Drift.\r\nLook.",
            "run": {"instrument_id": run.instrument_id, "run_id": run.run_id},
        },
    )

    assert answer.status_code == 201
    assert answer.json() == {"notified_user_ids": [str(ada.user.pk)], "skipped_user_ids": []}
    shown = ada.get("/api/v1/notifications").json()["data"][0]
    assert (shown["kind"], shown["message"]) == ("generic", "Drift.\nLook.")
    assert (shown["sender"]["kind"], shown["sender"]["name"]) == ("token", "qc-bot")
    assert shown["run"] == {"instrument_id": run.instrument_id, "run_id": run.run_id}


def test_an_exact_repeat_of_an_unread_message_is_skipped(as_token, db):
    api, user = as_token("notifications:create"), make_user()
    body = {"user_ids": [str(user.pk)], "message": "again"}
    api.post(ROUTE, body)

    answer = api.post(ROUTE, body)

    assert answer.json() == {"notified_user_ids": [], "skipped_user_ids": [str(user.pk)]}
    assert Notification.objects.count() == 1


def test_a_message_that_was_read_is_sent_again(as_token, as_person):
    api, ada = as_token("notifications:create"), as_person()
    body = {"user_ids": [str(ada.user.pk)], "message": "again"}
    api.post(ROUTE, body)
    ada.post("/api/v1/notifications/read", {})

    assert api.post(ROUTE, body).json()["notified_user_ids"] == [str(ada.user.pk)]


def test_the_same_words_about_another_run_are_another_message(as_token, db):
    api, user = as_token("notifications:create"), make_user()
    body = {"user_ids": [str(user.pk)], "message": "done"}
    for run in (make_run(), make_run()):
        api.post(ROUTE, body | {"run": {"instrument_id": run.instrument_id, "run_id": run.run_id}})

    api.post(ROUTE, body)

    assert Notification.objects.count() == 3


def test_unknown_and_inactive_people_are_skipped(as_token, db):
    gone = make_user(is_active=False)
    asked = [NIL, str(gone.pk), "nobody", NIL]

    answer = as_token("notifications:create").post(ROUTE, {"user_ids": asked, "message": "x"})

    assert answer.json() == {"notified_user_ids": [], "skipped_user_ids": [NIL, str(gone.pk), "nobody"]}


def test_an_unknown_run_is_not_found(as_token, db):
    body = {"user_ids": [NIL], "message": "x", "run": {"instrument_id": make_instrument().pk, "run_id": "none"}}

    assert as_token("notifications:create").post(ROUTE, body).status_code == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"user_ids": []}, "user_ids"),
        ({"user_ids": [NIL] * 101}, "user_ids"),
        ({"user_ids": [5]}, "user_ids.0"),
        ({"user_ids": NIL}, "user_ids"),
        ({"message": ""}, "message"),
        ({"message": "x" * 2001}, "message"),
        ({"message": "a\x00b"}, "message"),
        ({"message": 5}, "message"),
        ({"run": "x"}, "run"),
        ({"run": {"run_id": "a"}}, "run.instrument_id"),
    ],
)
def test_a_wrong_message_names_its_field(as_token, change, field):
    answer = as_token("notifications:create").post(ROUTE, {"user_ids": [NIL], "message": "x"} | change)

    assert answer.status_code == 400
    assert field in answer.json()["error"]["details"]["fields"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("with_run", [True, False])
def test_twenty_parallel_repeats_leave_one_unread_row(with_run):
    user, run = make_user(), make_run()
    token, text = make_token_with_text("notifications:create")
    link = {"run": {"instrument_id": run.instrument_id, "run_id": run.run_id}} if with_run else {}

    def send(_: int) -> int:
        try:
            return (
                Api(token=token, text=text).post(ROUTE, {"user_ids": [str(user.pk)], "message": "x"} | link).status_code
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        statuses = list(pool.map(send, range(20)))

    assert set(statuses) == {201}
    assert Notification.objects.filter(recipient=user, read_at=None).count() == 1


def test_dispatch_costs_the_same_for_any_number_of_people(as_token, django_assert_num_queries):
    from wire.clock import now

    people = [str(make_user().pk) for _ in range(30)]
    api = as_token("notifications:create", last_used_at=now())

    with django_assert_num_queries(4):  # token, savepoint and its release, one statement
        api.post(ROUTE, {"user_ids": people, "message": "x"})
