"""Settings → Webhooks."""

from datetime import timedelta

import pytest

from changes.models import Webhook, WebhookDelivery
from tests.factories import make_instrument, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db
PAGE = "/settings/webhooks"


@pytest.fixture
def admin(client):
    client.force_login(make_user(is_admin=True), backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def test_a_receiver_is_added_and_its_secret_shown_once(admin):
    make_instrument(id="reader-1")
    form = {
        "url": "https://lims.example/events?key=k3y-of-chat",
        "description": "LIMS",
        "kind": "standard",
        "event_types": ["run.created"],
        "instruments": ["reader-1"],
    }

    made = admin.post(f"{PAGE}/new", form)
    again = admin.get(f"{PAGE}/{Webhook.objects.get().pk}").content.decode()

    webhook = Webhook.objects.get()
    assert made.status_code == 201
    assert "whsec_" in made.content.decode()
    assert "whsec_" not in again
    assert "<title>Webhook LIMS ·" in again
    assert "k3y-of-chat" not in again
    assert (webhook.event_types, webhook.instrument_ids) == (["run.created"], ["reader-1"])


def test_a_wrong_address_is_said_at_its_field(admin):
    answer = admin.post(f"{PAGE}/new", {"url": "http://lims.example/", "kind": "standard"})

    assert answer.status_code == 400
    assert "must begin with https://" in answer.content.decode()
    assert not Webhook.objects.exists()


def test_what_can_be_done_with_it_is_done(admin):
    admin.post(f"{PAGE}/new", {"url": "https://a.example/", "kind": "chat"})
    webhook = Webhook.objects.get()
    place = f"{PAGE}/{webhook.pk}/act"

    admin.post(place, {"do": "test"})
    delivery = WebhookDelivery.objects.get()
    again = admin.post(place, {"again": str(delivery.pk)})
    unknown = admin.post(place, {"again": "x"})
    rotated = admin.post(place, {"do": "rotate"}).content.decode()
    admin.post(place, {"do": "off"})
    off = Webhook.objects.get().is_active
    refused = admin.post(place, {"do": "test"}, follow=True).content.decode()
    admin.post(place, {"do": "on"})
    on = Webhook.objects.get().is_active
    admin.post(place, {"do": "delete"})

    assert (again.status_code, unknown.status_code, off, on) == (302, 404, False, True)
    assert "whsec_" in rotated
    assert "The webhook is switched off." in refused
    assert not Webhook.objects.exists()


def test_deliveries_are_shown_with_what_came_back(admin):
    webhook = Webhook.objects.create(url="https://a.example/", sealed_secret="x", description="LIMS")
    attempt = {"at": "", "http_status": 503, "duration_ms": 12, "error": None, "answer": "<b>down</b>"}
    payload = {"data": {"instrument_id": "reader-1", "run_id": "<i>run</i>"}}
    WebhookDelivery.objects.create(
        webhook=webhook, event_type="run.created", payload=payload, status="failed", attempts=[attempt]
    )

    shown = admin.get(f"{PAGE}/{webhook.pk}").content.decode()

    assert "503" in shown
    assert "&lt;i&gt;run&lt;/i&gt;" in shown
    assert "given up" in shown


def test_the_page_looks_by_itself_for_what_comes_of_a_test(admin):
    admin.post(f"{PAGE}/new", {"url": "https://a.example/", "kind": "chat"})
    place = f"{PAGE}/{Webhook.objects.get().pk}"

    sent = admin.post(f"{place}/act", {"do": "test"}, follow=True).content.decode()
    waits = admin.get(place, headers={"HX-Request": "true"}).content.decode()
    WebhookDelivery.objects.update(status="succeeded", next_attempt_at=None)
    came = admin.get(place, headers={"HX-Request": "true"}).content.decode()

    assert "What comes of it is shown below." in sent
    assert 'hx-trigger="load delay:2s"' in sent
    assert "<html" not in waits
    assert 'hx-trigger="load delay:2s"' in waits
    assert "delivered" in came
    assert "hx-trigger" not in came


def test_the_page_does_not_look_for_ever_where_nothing_is_sent(admin):
    admin.post(f"{PAGE}/new", {"url": "https://a.example/", "kind": "chat"})
    place = f"{PAGE}/{Webhook.objects.get().pk}"
    admin.post(f"{place}/act", {"do": "test"})
    WebhookDelivery.objects.update(next_attempt_at=now() - timedelta(minutes=2))

    assert "hx-trigger" not in admin.get(place, headers={"HX-Request": "true"}).content.decode()
