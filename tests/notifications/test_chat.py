"""Messages by chat, against a server on loopback that speaks Slack's API."""

from datetime import timedelta

import pytest

from accounts.callers import caller_for_user
from accounts.integrations import IntegrationChange, connect_integration
from accounts.models import Integration, IntegrationKind
from instruments.models import Instrument
from jobs.leases import due_jobs, lease_next_job
from notifications.delivery import (
    CHAT_DELIVERIES,
    deliver_next_to_chat,
    deliver_to_chat,
    forget_ended,
    send_again,
)
from notifications.inbox import store_notifications
from notifications.models import ChatDelivery, NotificationKind, Preference
from notifications.senders import SERVICE_SENDER
from tests.factories import make_run, make_user
from tests.outside import outside
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db
FOUND = {"ok": True, "user": {"id": "U123"}}
SENT = {"ok": True, "ts": "1.2"}


@pytest.fixture
def slack():
    with outside() as played:
        played.answer("/api/users.lookupByEmail", FOUND)
        played.answer("/api/chat.postMessage", SENT)
        yield played


@pytest.fixture
def ines(slack):
    """Wants comments by chat; a chat is connected."""
    ines = make_user("ines@lab.example")
    wanted = IntegrationChange(base_url=f"{slack.url}/api/", secret="xoxb-secret")
    connect_integration(IntegrationKind.CHAT, wanted=wanted, by=caller_for_user(ines), at=now())
    Preference.objects.create(user=ines, kind=NotificationKind.COMMENT, in_app=True, chat=True)
    return ines


def tell(user, message="Hello.", *, kind=NotificationKind.COMMENT, run=None):
    run_id = run.pk if run else None
    store_notifications(
        recipients=[user.pk], kind=kind, message=message, sender=SERVICE_SENDER, run_id=run_id, at=now()
    )


def deliver(at=None):
    at = at or now()
    return [deliver_to_chat(row.pk, at=at) for row in due_jobs(CHAT_DELIVERIES, at=at)]


def test_a_direct_message_goes_to_the_account_with_the_address(ines, slack):
    tell(ines, "Look <@U1> & more", run=make_run(run_id="a run"))

    assert deliver() == [True]

    lookup, post = slack.calls
    assert (lookup.path, lookup.headers["Authorization"]) == ("/api/users.lookupByEmail", "Bearer xoxb-secret")
    assert lookup.form == {"email": "ines@lab.example"}
    sent = post.json if post.body.startswith("{") else post.form
    assert sent["channel"] == "U123"
    assert sent["text"].startswith("Look &lt;@U1&gt; &amp; more\nhttp://127.0.0.1:8000/instruments/")
    assert ChatDelivery.objects.get().sent_at is not None


def test_who_did_not_ask_for_it_is_left_alone(ines, slack):
    tell(ines, kind=NotificationKind.RUN_CREATED)
    tell(make_user())

    assert not ChatDelivery.objects.exists()


def test_without_a_chat_nothing_waits(ines):
    Integration.objects.all().delete()

    tell(ines)

    assert not ChatDelivery.objects.exists()


def test_a_repeat_of_an_unread_message_is_not_sent_again(ines):
    tell(ines)
    tell(ines)

    assert ChatDelivery.objects.count() == 1


def test_an_outage_is_tried_again_with_growing_pauses(ines, slack):
    slack.answer("/api/chat.postMessage", b"<html>bad gateway</html>", status=502)
    at = now()
    tell(ines)

    deliver(at)
    assert deliver(at + timedelta(seconds=10)) == []
    deliver(at + timedelta(seconds=20))
    second = ChatDelivery.objects.get()
    slack.answer("/api/chat.postMessage", SENT)

    assert second.lease_until == at + timedelta(seconds=20 + 30)
    assert deliver(at + timedelta(minutes=5)) == [True]
    assert Integration.objects.get().last_error == ""


def test_a_chat_that_asks_to_wait_is_waited_for(ines, slack):
    slack.answer("/api/users.lookupByEmail", {"ok": False, "error": "ratelimited"}, status=429, Retry_After="120")
    at = now()
    tell(ines)

    deliver(at)

    assert ChatDelivery.objects.get().lease_until == at + timedelta(seconds=120)


def test_a_person_without_an_account_is_a_refusal_for_good(ines, slack):
    slack.answer("/api/users.lookupByEmail", {"ok": False, "error": "users_not_found"})
    tell(ines)

    deliver()

    row = ChatDelivery.objects.get()
    assert row.refused_at is not None
    assert row.error_message == "No account of the chat has this person's address."
    assert Integration.objects.get().last_error == ""


def test_a_revoked_token_is_shown_in_the_settings(ines, slack):
    slack.answer("/api/users.lookupByEmail", {"ok": False, "error": "token_revoked"})
    tell(ines)

    deliver()

    assert Integration.objects.get().last_error == "The chat refuses the connection: token_revoked."
    assert ChatDelivery.objects.get().refused_at is not None


def test_it_is_given_up_in_the_end_and_can_be_sent_again(ines, slack):
    slack.answer("/api/chat.postMessage", {"ok": False, "error": "fatal_error"})
    at = now()
    tell(ines)
    for hours in range(8):
        deliver(at + timedelta(hours=hours))
    given_up = ChatDelivery.objects.get().refused_at
    slack.answer("/api/chat.postMessage", SENT)

    send_again(ChatDelivery.objects.all())

    assert given_up is not None
    assert deliver() == [True]


@pytest.mark.parametrize("asks_to_wait", [False, True])
def test_while_the_chat_is_away_one_try_is_made_for_all_that_wait(ines, slack, asks_to_wait):
    """Each may last for seconds, and mails and sweeps wait for the same threads."""
    if asks_to_wait:
        slack.answer("/api/users.lookupByEmail", {"ok": False, "error": "ratelimited"}, status=429, Retry_After="20")
    else:
        slack.answer("/api/users.lookupByEmail", b"x" * (2 << 20))
    at = now()
    for number in range(3):
        tell(ines, f"Hello {number}.", run=make_run())

    for _ in range(3):
        deliver_next_to_chat(at=at)
    slack.answer("/api/users.lookupByEmail", FOUND)

    assert sorted(ChatDelivery.objects.values_list("attempts", flat=True)) == [0, 0, 1]
    assert [deliver_next_to_chat(at=at + timedelta(seconds=40)) for _ in range(3)] == [True] * 3


def test_a_message_whose_every_worker_died_is_given_up(ines, slack):
    """Nothing notes the failure of a worker that dies in the call."""
    tell(ines)
    at = now()
    for _ in range(8):
        assert lease_next_job(CHAT_DELIVERIES, at=at)
        at += timedelta(minutes=3)

    assert not deliver_next_to_chat(at=at)

    assert slack.calls == []
    assert ChatDelivery.objects.get().refused_at == at


def test_what_may_be_there_is_posted_once_more_and_then_left_to_people(ines, slack):
    """A chat knows no message again: eight lost answers would be eight messages."""
    slack.answer("/api/chat.postMessage", None)
    at = now()
    tell(ines)

    for minutes in (0, 1, 11, 30, 90):
        deliver(at + timedelta(minutes=minutes))

    assert [call.path for call in slack.calls].count("/api/chat.postMessage") == 2
    assert ChatDelivery.objects.get().refused_at == at + timedelta(minutes=11)


def test_what_was_never_posted_is_tried_eight_times(ines, slack):
    slack.answer("/api/users.lookupByEmail", None)
    at = now()
    tell(ines)

    for hours in range(10):
        deliver(at + timedelta(hours=hours))

    assert len(slack.calls) == 8


def test_redirects_are_not_followed(ines, slack):
    slack.answer("/api/users.lookupByEmail", {}, status=302, Location=f"{slack.url}/elsewhere")
    tell(ines)

    assert deliver() == [False]
    assert [call.path for call in slack.calls] == ["/api/users.lookupByEmail"]


def test_an_answer_without_end_is_cut_off(ines, slack):
    slack.answer("/api/users.lookupByEmail", b"[" + b"0," * 600_000 + b"0]")
    tell(ines)

    assert deliver() == [False]


def test_who_was_switched_off_gets_nothing(ines, slack):
    tell(ines)
    ines.is_active = False
    ines.save()

    assert deliver() == [False]
    assert slack.calls == []


def test_what_has_ended_is_forgotten_after_two_weeks(ines):
    tell(ines)
    deliver(now() - timedelta(days=15))

    forget_ended(at=now())

    assert not ChatDelivery.objects.exists()


def test_a_delivery_ends_one_way(ines, refused_by):
    tell(ines)

    refused_by("chat_delivery_ends_one_way", lambda: ChatDelivery.objects.update(sent_at=now(), refused_at=now()))


@pytest.mark.django_db(transaction=True)
def test_of_many_who_try_at_once_one_sends(ines, slack):
    tell(ines)
    [row] = due_jobs(CHAT_DELIVERIES, at=now())
    at = now()

    sent = at_once(8, lambda _: deliver_to_chat(row.pk, at=at))

    assert sorted(sent) == [False] * 7 + [True]
    assert sum(call.path == "/api/chat.postMessage" for call in slack.calls) == 1


def test_who_left_the_group_gets_no_message_of_its_runs(ines, slack):
    run = make_run(run_id="batch 7")
    tell(ines, run=run)
    Instrument.objects.filter(pk=run.instrument_id).update(visibility="groups")

    assert deliver() == [False]

    assert slack.calls == []
    assert ChatDelivery.objects.get().error_message == "The person may not see it any more."
