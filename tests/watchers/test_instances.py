"""One watcher is one installation: a copied computer is refused, and an admin says which of two it is."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.callers import caller_for_token
from tests.factories import make_instrument, make_token, make_watcher
from tests.races import at_once
from watchers.choices import WatcherStatus
from watchers.heartbeats import HeartbeatReport, record_heartbeat
from watchers.instances import AnotherInstance
from watchers.models import Heartbeat, WatcherEvent
from watchers.signals import instance_conflict_noticed
from wire.clock import now

FIRST, SECOND = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


@pytest.fixture
def announced():
    """The watchers whose conflicts are announced meanwhile."""
    heard = []

    def hear(watcher, **_):
        heard.append(watcher.pk)

    instance_conflict_noticed.connect(hear)
    yield heard
    instance_conflict_noticed.disconnect(hear)


def beat(api, watcher, instance_id):
    return api.post(f"/api/v1/watchers/{watcher.pk}/heartbeat", {"status": "watching", "instance_id": instance_id})


def settle(api, watcher, instance_id):
    return api.post(f"/api/v1/watchers/{watcher.pk}/instance", {"instance_id": instance_id})


def test_a_watcher_without_an_instance_takes_the_first_one(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)

    answer = beat(api, watcher, FIRST)

    watcher.refresh_from_db()
    assert (answer.status_code, str(watcher.instance_id)) == (200, FIRST)


def test_an_instance_is_registered_with_its_watcher(as_token):
    api = as_token()

    answer = api.post("/api/v1/watchers/register", {"instrument_id": make_instrument().pk, "instance_id": FIRST})

    assert (answer.status_code, answer.json()["instance_id"]) == (201, FIRST)


def test_another_instance_is_refused_and_told_of_the_existing_one(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token, hostname="bench-7", instance_id=FIRST)

    answer = beat(api, watcher, SECOND)

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"existing_instance": FIRST, "hostname": "bench-7"}


def test_a_refused_instance_leaves_no_sign_of_life(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token, instance_id=FIRST)

    beat(api, watcher, SECOND)

    watcher.refresh_from_db()
    assert (watcher.last_heartbeat_at, watcher.status, str(watcher.instance_id)) == (None, "registered", FIRST)
    assert not Heartbeat.objects.exists()


def test_a_conflict_is_noted_and_announced_once_however_often_it_calls(as_token, announced):
    api = as_token()
    watcher = make_watcher(token=api.token, instance_id=FIRST)

    for other in (SECOND, SECOND, str(uuid.uuid4())):
        beat(api, watcher, other)
        beat(api, watcher, FIRST)

    event = WatcherEvent.objects.get()
    assert (event.event_type, event.details) == (
        "instance_conflict",
        {"existing_instance": FIRST, "other_instance": SECOND},
    )
    assert announced == [watcher.pk]
    assert api.get(f"/api/v1/watchers/{watcher.pk}").json()["other_instance_id"] == SECOND


def test_the_existing_instance_goes_on_meanwhile(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token, instance_id=FIRST)
    beat(api, watcher, SECOND)

    assert beat(api, watcher, FIRST).status_code == 200


def test_an_agent_that_names_no_instance_passes(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token, instance_id=FIRST)

    answer = beat(api, watcher, None)

    watcher.refresh_from_db()
    assert (answer.status_code, str(watcher.instance_id)) == (200, FIRST)


def test_an_admin_settles_which_instance_it_is(as_token, as_admin):
    api = as_token()
    watcher = make_watcher(token=api.token, instance_id=FIRST)
    beat(api, watcher, SECOND)

    answer = settle(as_admin(), watcher, SECOND)

    shown = answer.json()
    assert (answer.status_code, shown["instance_id"], shown["other_instance_id"]) == (200, SECOND, None)
    assert [beat(api, watcher, one).status_code for one in (SECOND, FIRST)] == [200, 409]


def test_a_conflict_after_the_settlement_is_announced_anew(as_token, as_admin, announced):
    api = as_token()
    watcher = make_watcher(token=api.token, instance_id=FIRST)
    beat(api, watcher, SECOND)
    settle(as_admin(), watcher, FIRST)

    beat(api, watcher, SECOND)

    assert announced == [watcher.pk, watcher.pk]


def test_a_deregistered_watcher_has_nothing_to_settle(as_admin):
    watcher = make_watcher(deleted_at=now(), instance_id=FIRST)

    answer = settle(as_admin(), watcher, SECOND)

    assert answer.status_code == 409
    assert "deleted_at" in answer.json()["error"]["details"]


@pytest.mark.parametrize("body", [{}, {"instance_id": None}, {"instance_id": "x"}, {"instance_id": 5}])
def test_a_settlement_names_an_instance(as_admin, body):
    answer = as_admin().post(f"/api/v1/watchers/{make_watcher().pk}/instance", body)

    assert (answer.status_code, list(answer.json()["error"]["details"]["fields"])) == (400, ["instance_id"])


def test_a_watcher_that_registers_anew_is_another_installation(as_token, as_admin):
    api, instrument = as_token(), make_instrument()
    former = make_watcher(token=api.token, instrument=instrument, instance_id=FIRST)
    as_admin().delete(f"/api/v1/watchers/{former.pk}")

    made = api.post("/api/v1/watchers/register", {"instrument_id": instrument.pk, "instance_id": SECOND})

    heard = api.post(
        f"/api/v1/watchers/{made.json()['watcher_id']}/heartbeat", {"status": "watching", "instance_id": SECOND}
    )
    assert (made.status_code, heard.status_code) == (201, 200)


def test_agents_cannot_report_a_conflict_themselves(as_token):
    api = as_token()
    event = {"event_type": "instance_conflict", "timestamp": "2024-01-01T00:00:00Z", "message": "m"}

    answer = api.post(f"/api/v1/watchers/{make_watcher(token=api.token).pk}/events", {"events": [event]})

    assert answer.status_code == 400


@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_with_an_instance_takes_two_queries(as_token):
    api = as_token()
    watcher = make_watcher(token=api.token)
    beat(api, watcher, FIRST)  # stamps the token's use

    with CaptureQueriesContext(connection) as queries:
        beat(api, watcher, FIRST)

    assert len(queries) == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_first_instances_at_once_one_is_taken_and_the_other_refused():
    token = make_token()
    watcher, by = make_watcher(token=token), caller_for_token(token)

    def call(number):
        report = HeartbeatReport(WatcherStatus.WATCHING, instance_id=uuid.UUID((FIRST, SECOND)[number % 2]))
        try:
            record_heartbeat(watcher.pk, report=report, by=by, at=now())
        except AnotherInstance:
            return "refused"
        return str(report.instance_id)

    answers = at_once(8, call)

    watcher.refresh_from_db()
    assert answers.count("refused") == answers.count(str(watcher.instance_id)) == 4
    assert WatcherEvent.objects.count() == 1
