"""Webhooks over REST, and their messages at a real receiver on loopback."""

import json
from datetime import datetime, timedelta
from itertools import pairwise
from types import SimpleNamespace

import pytest
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from changes.models import Change, LogState, Webhook, WebhookDelivery
from changes.signals import webhook_disabled
from changes.webhooks.deliveries import forget_deliveries
from changes.webhooks.fan_out import fan_out_changes
from changes.webhooks.lanes import serve_lane
from changes.webhooks.receivers import ReceiverAdapter
from notifications.models import Notification
from tests.changes.test_log import add
from tests.factories import make_instrument, make_user
from tests.outside import outside
from wire.clock import now

pytestmark = pytest.mark.django_db
BASE = "/api/v1/webhooks"
SECONDS, MINUTES, HOURS, DAYS = (timedelta(**{unit: 1}) for unit in ("seconds", "minutes", "hours", "days"))


@pytest.fixture(autouse=True)
def _the_clock_is_held(monkeypatch):
    """Calls take no time of the pauses between them, and are long enough for a machine that stands still."""
    monkeypatch.setattr("changes.webhooks.lanes.time", SimpleNamespace(monotonic=lambda: 0.0))
    monkeypatch.setattr(ReceiverAdapter, "seconds", 60.0)


@pytest.fixture
def receiver():
    with outside() as played:
        played.answer("/events", {"thanks": True})
        yield played


@pytest.fixture
def admin(as_admin):
    return as_admin()


def added(admin, receiver, **fields):
    return admin.post(BASE, {"url": f"{receiver.url}/events"} | fields).json()


def deliver(at=None):
    at = at or now()
    fan_out_changes(at=at)
    while serve_lane(at=at):
        pass


def headers_of(call):
    return {name.lower(): value for name, value in call.headers.items()}


def test_a_receiver_is_added_and_its_secret_shown_once(admin, receiver):
    answer = admin.post(BASE, {"url": f"{receiver.url}/events", "description": "LIMS"})

    made = answer.json()
    assert answer.status_code == 201
    assert made.pop("secret").startswith("whsec_")
    assert made.pop("created_at").endswith("Z")
    assert made == {
        "id": made["id"],
        "kind": "standard",
        "url": f"{receiver.url}/events",
        "description": "LIMS",
        "event_types": [],
        "instrument_ids": None,
        "is_active": True,
        "disabled_reason": None,
        "last_success_at": None,
        "failing_since": None,
    }
    assert "secret" not in admin.get(f"{BASE}/{made['id']}").json()
    assert [row["id"] for row in admin.get(BASE).json()["data"]] == [made["id"]]


def test_a_message_is_signed_as_standard_webhooks_has_it(admin, receiver):
    made = added(admin, receiver)
    position = add("run.created", instrument="reader-1")

    deliver()

    call = receiver.calls[0]
    told = Verifier(made["secret"]).verify(call.body.encode(), headers_of(call))
    assert told["type"] == "run.created"
    assert told["data"] == {
        "position": position,
        "instrument_id": "reader-1",
        "run_id": "r",
        "links": {
            "page": "http://127.0.0.1:8000/instruments/reader-1/runs/r",
            "api": "http://127.0.0.1:8000/api/v1/instruments/reader-1/runs/r",
        },
    }
    assert headers_of(call)["content-type"] == "application/json"


def test_a_forged_body_does_not_verify(admin, receiver):
    made = added(admin, receiver)
    add()
    deliver()

    call = receiver.calls[0]
    with pytest.raises(WebhookVerificationError):
        Verifier(made["secret"]).verify(call.body.replace("run.created", "run.deleted").encode(), headers_of(call))


def test_after_a_rotation_both_secrets_sign_for_a_day(admin, receiver):
    made = added(admin, receiver)
    rotated = admin.post(f"{BASE}/{made['id']}/rotate-secret")
    add()
    deliver()
    Webhook.objects.update(former_until=now())
    add()
    deliver()

    both, after = receiver.calls
    secret = rotated.json()["secret"]
    assert (rotated.status_code, secret != made["secret"]) == (200, True)
    for one in (secret, made["secret"]):
        Verifier(one).verify(both.body.encode(), headers_of(both))
    Verifier(secret).verify(after.body.encode(), headers_of(after))
    with pytest.raises(WebhookVerificationError):
        Verifier(made["secret"]).verify(after.body.encode(), headers_of(after))


def test_only_what_is_wanted_is_sent(admin, receiver):
    make_instrument(id="reader-1")
    added(admin, receiver, event_types=["run.created"], instrument_ids=["reader-1"])
    add("run.created", "reader-1"), add("run.created", "reader-2"), add("run.deleted", "reader-1")

    deliver()

    assert [(call.json["type"], call.json["data"]["instrument_id"]) for call in receiver.calls] == [
        ("run.created", "reader-1")
    ]


def test_what_happened_before_is_not_sent(admin, receiver):
    add()
    Change.objects.update(at=now() - 1 * HOURS)
    added(admin, receiver)

    deliver()

    assert receiver.calls == []


def test_each_change_has_one_delivery_however_often_it_is_looked_at(admin, receiver):
    added(admin, receiver)
    add(), add()
    fan_out_changes(at=now())
    LogState.objects.update(sent_to=0)

    fan_out_changes(at=now())

    assert WebhookDelivery.objects.count() == 2


def test_a_refused_message_is_tried_again_under_the_same_id_as_the_contract_says(admin, receiver):
    made = added(admin, receiver)
    receiver.answer("/events", {"error": "down"}, status=500)
    add()
    fan_out_changes(at=now())

    while due := WebhookDelivery.objects.get().next_attempt_at:
        deliver(due)

    delivery = admin.get(f"{BASE}/{made['id']}/deliveries").json()["data"][0]
    moments = [datetime.fromisoformat(attempt["at"]) for attempt in delivery["attempts"]]
    waits = [round((later - earlier) / SECONDS) for earlier, later in pairwise(moments)]
    assert waits == [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    assert len({headers_of(call)["webhook-id"] for call in receiver.calls}) == 1
    assert (delivery["status"], delivery["next_attempt_at"]) == ("failed", None)
    assert delivery["attempts"][0]["http_status"] == 500
    assert json.loads(delivery["attempts"][0]["answer"]) == {"error": "down"}
    assert delivery["message_id"] == headers_of(receiver.calls[0])["webhook-id"]


def test_a_receiver_that_comes_back_gets_what_waits(admin, receiver):
    made = added(admin, receiver)
    receiver.answer("/events", {}, status=503)
    add()
    at = now()
    deliver(at)
    failing = admin.get(f"{BASE}/{made['id']}").json()["failing_since"]
    receiver.answer("/events", {})

    deliver(at + 6 * SECONDS)

    row = admin.get(f"{BASE}/{made['id']}").json()
    assert failing is not None
    assert (row["failing_since"], row["last_success_at"] is not None) == (None, True)
    assert WebhookDelivery.objects.get().status == "succeeded"


def test_a_dead_receiver_is_asked_with_one_message_and_not_with_each(admin, receiver):
    added(admin, receiver)
    receiver.answer("/events", {}, status=500)
    for _ in range(20):
        add()
    at = now()

    deliver(at)
    first = len(receiver.calls)
    deliver(at + 6 * SECONDS)

    assert (first, len(receiver.calls)) == (3, 4)


@pytest.mark.parametrize(
    ("kind", "calls", "status"), [("chat", 2, "failed"), ("teams", 2, "failed"), ("standard", 4, "pending")]
)
def test_what_a_chat_may_have_is_sent_once_more_and_what_a_program_may_have_on(admin, receiver, kind, calls, status):
    """Programs know a message again by its id; people would read it ten times."""
    added(admin, receiver, kind=kind)
    receiver.answer("/events", None)
    add()
    at = now()

    for hours in (0, 1, 2, 5):
        deliver(at + timedelta(hours=hours))

    assert (len(receiver.calls), WebhookDelivery.objects.get().status) == (calls, status)


def test_410_ends_it_at_once(admin, receiver):
    made = added(admin, receiver)
    receiver.answer("/events", {}, status=410)
    add(), add()

    deliver()

    row = admin.get(f"{BASE}/{made['id']}").json()
    assert (row["is_active"], row["disabled_reason"]) == (False, "The receiver answered 410 Gone.")
    assert len(receiver.calls) == 1


def test_five_days_of_failures_end_it_and_are_announced_once(admin, receiver):
    told = []
    webhook_disabled.connect(listener := lambda webhook, **_: told.append(webhook.pk), weak=False)
    made = added(admin, receiver)
    receiver.answer("/events", {}, status=500)
    add()
    at = now()
    deliver(at)
    Webhook.objects.update(failing_since=at - 5 * DAYS)

    deliver(at + 6 * SECONDS)
    deliver(at + 1 * DAYS)

    webhook_disabled.disconnect(listener)
    row = admin.get(f"{BASE}/{made['id']}").json()
    assert (row["is_active"], row["disabled_reason"]) == (False, "Nothing could be delivered for five days.")
    assert [str(one) for one in told] == [made["id"]]
    message = Notification.objects.get(recipient=admin.user).message
    assert message.endswith("was switched off. Nothing could be delivered for five days.")


def test_switched_on_again_it_gets_what_waits(admin, receiver):
    made = added(admin, receiver)
    add()
    fan_out_changes(at=now())
    admin.patch(f"{BASE}/{made['id']}", {"is_active": False})
    deliver()
    before = len(receiver.calls)

    answer = admin.patch(f"{BASE}/{made['id']}", {"is_active": True})
    deliver(now() + 1 * SECONDS)

    assert (before, answer.json()["is_active"], len(receiver.calls)) == (0, True, 1)


def test_a_delivery_is_sent_again_under_its_id(admin, receiver):
    made = added(admin, receiver)
    add()
    deliver()
    delivery = admin.get(f"{BASE}/{made['id']}/deliveries").json()["data"][0]

    answer = admin.post(f"{BASE}/{made['id']}/deliveries/{delivery['id']}/redeliver", {})
    deliver(now() + 1 * SECONDS)

    assert answer.status_code == 202
    assert [headers_of(call)["webhook-id"] for call in receiver.calls] == [delivery["message_id"]] * 2
    assert len(WebhookDelivery.objects.get().attempts) == 2


def test_a_test_is_sent(admin, receiver):
    made = added(admin, receiver, event_types=["run.deleted"])

    answer = admin.post(f"{BASE}/{made['id']}/test", {})
    deliver(now() + 1 * SECONDS)

    assert answer.status_code == 202
    assert str(WebhookDelivery.objects.get().pk) == answer.json()["delivery_id"]
    assert receiver.calls[0].json["type"] == "webhook.test"


def test_of_one_that_is_switched_off_nothing_is_sent_by_hand(admin, receiver):
    made = added(admin, receiver, is_active=False)

    assert admin.post(f"{BASE}/{made['id']}/test", {}).status_code == 409


def test_a_long_answer_is_kept_to_a_kibibyte_and_is_a_success(admin, receiver):
    added(admin, receiver)
    receiver.answer("/events", b"\x00" + b"x" * 3_000_000)
    add()

    deliver()

    delivery = WebhookDelivery.objects.get()
    assert (delivery.status, len(delivery.attempts[0]["answer"])) == ("succeeded", 1024)


def test_a_redirect_is_not_followed(admin, receiver):
    added(admin, receiver)
    receiver.answer("/events", {}, status=302, Location=f"{receiver.url}/elsewhere")
    add()

    deliver()

    assert [call.path for call in receiver.calls] == ["/events"]
    assert WebhookDelivery.objects.get().status == "pending"


def test_nobody_there_is_an_attempt_without_an_answer(admin, receiver):
    added(admin, receiver, url="http://127.0.0.1:9/events")
    add()

    deliver()

    attempt = WebhookDelivery.objects.get().attempts[0]
    assert attempt["http_status"] is None
    assert "could not be reached" in attempt["error"]


@pytest.mark.parametrize(
    "url",
    ["http://receiver.example.org/", "https://10.0.0.8/", "https://169.254.169.254/latest", "ftp://a.example",
     "https://user:pw@a.example/", "https://a.example/#x", "https://[fd00::1]/", "nonsense", "https://a b/", "https://",
     "https://a.example:99999/"],
)  # fmt: skip
def test_where_nothing_may_be_sent_is_refused(admin, settings, url):
    settings.PRIVATE_HOSTS = ["10.0.0.0/8"]  # opened for chats and trackers, not for receivers

    answer = admin.post(BASE, {"url": url})

    assert answer.status_code == 400
    assert "url" in answer.json()["error"]["details"]["fields"]


@pytest.mark.parametrize(
    "url", ["https://a.example/x?sig=1", "http://127.0.0.1:1/", "http://localhost/", "http://[::1]/"]
)
def test_where_something_may_be_sent_is_taken(admin, url):
    assert admin.post(BASE, {"url": url}).status_code == 201


def test_a_private_receiver_that_is_named_is_taken(admin, settings):
    settings.WEBHOOK_PRIVATE_HOSTS = ["10.0.0.0/8"]

    assert admin.post(BASE, {"url": "https://10.0.0.8/"}).status_code == 201


def test_a_name_that_leads_to_this_machine_is_not_called(admin, receiver, monkeypatch):
    webhook = added(admin, receiver)
    Webhook.objects.filter(pk=webhook["id"]).update(url="https://rebinding.example/")
    monkeypatch.setattr("socket.getaddrinfo", lambda *asked, **options: [(2, 1, 6, "", ("127.0.0.1", 443))])
    add()

    deliver()

    assert "private network" in WebhookDelivery.objects.get().attempts[0]["error"]
    assert receiver.calls == []


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "url"), ({"url": 7}, "url"), ({"url": "https://a.example/\x00"}, "url"),
     ({"url": "https://a.example", "event_types": ["run.sneezed"]}, "event_types"),
     ({"url": "https://a.example", "instrument_ids": ["nothing-such"]}, "instrument_ids"),
     ({"url": "https://a.example", "instrument_ids": []}, "instrument_ids"),
     ({"url": "https://a.example", "kind": "fax"}, "kind"), ({"url": "https://a.example", "is_active": 1}, "is_active"),
     ({"url": "https://a.example", "description": "x" * 201}, "description")],
)  # fmt: skip
def test_bad_input_is_named(admin, body, field):
    answer = admin.post(BASE, body)

    assert answer.status_code == 400
    assert field in str(answer.json()["error"]["details"]["fields"])


def test_a_chat_reads_a_short_text_without_mentions(admin, receiver):
    added(admin, receiver, kind="chat")
    add("run.failed", instrument="reader-1")
    Change.objects.update(run_id="<!channel> & co")

    deliver()

    assert receiver.calls[0].json == {
        "text": "Run &lt;!channel&gt; &amp; co has a failed file (reader-1).\n"
        "http://127.0.0.1:8000/instruments/reader-1/runs/%3C%21channel%3E%20%26%20co"
    }


def test_teams_gets_a_card(admin, receiver):
    added(admin, receiver, kind="teams")
    add("run.created", instrument="reader-1")

    deliver()

    card = receiver.calls[0].json["attachments"][0]["content"]
    assert card["body"][0]["inlines"][0]["text"] == "New run r (reader-1)."
    assert card["actions"][0]["url"] == "http://127.0.0.1:8000/instruments/reader-1/runs/r"


def test_deleted_it_is_gone_with_its_deliveries(admin, receiver):
    made = added(admin, receiver)
    add()
    deliver()

    assert admin.delete(f"{BASE}/{made['id']}").status_code == 204
    assert admin.get(f"{BASE}/{made['id']}").status_code == 404
    assert not WebhookDelivery.objects.exists()


def test_deliveries_are_forgotten_after_a_month(admin, receiver):
    added(admin, receiver)
    add()
    deliver()

    assert forget_deliveries(at=now() + 29 * DAYS) == 0
    assert forget_deliveries(at=now() + 31 * DAYS) == 1


def test_constraints(refused_by):
    good = {"url": "https://a.example", "sealed_secret": "x"}

    refused_by("webhook_kind_is_known", lambda: Webhook.objects.create(**good, kind="fax"))
    refused_by("webhook_url_length", lambda: Webhook.objects.create(**good | {"url": ""}))
    refused_by("webhook_has_a_secret", lambda: Webhook.objects.create(**good | {"sealed_secret": ""}))
    refused_by("former_secret_has_an_end", lambda: Webhook.objects.create(**good, former_sealed_secret="x"))
    refused_by("active_webhook_is_not_disabled", lambda: Webhook.objects.create(**good, disabled_reason="x"))


def test_constraints_of_deliveries(refused_by):
    webhook = Webhook.objects.create(url="https://a.example", sealed_secret="x", created_by=make_user())
    good = {"webhook": webhook, "event_type": "run.created", "payload": {}, "next_attempt_at": now()}
    WebhookDelivery.objects.create(**good, position=1)

    refused_by("one_delivery_per_webhook_and_change", lambda: WebhookDelivery.objects.create(**good, position=1))
    refused_by("delivery_status_is_known", lambda: WebhookDelivery.objects.create(**good, status="lost"))
    refused_by(
        "pending_delivery_has_a_time", lambda: WebhookDelivery.objects.create(**good | {"next_attempt_at": None})
    )
