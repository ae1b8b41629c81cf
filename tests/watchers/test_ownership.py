"""Heartbeat, events, configuration: bound to the watcher's own token, until that is revoked."""

import hashlib

import pytest

from accounts.callers import caller_for_token
from tests.factories import make_token, make_watcher
from tests.races import at_once
from watchers.models import Heartbeat, TakeOver, WatcherEvent
from watchers.ownership import NotTheOwningToken, find_own_watcher, find_reporting_watcher
from wire.clock import now

EVENTS = {"events": [{"event_type": "error", "timestamp": "2026-11-21T08:00:00Z", "message": "m"}]}
CONFIG = {"config_yaml": "a: 1\n", "checksum": hashlib.sha256(b"a: 1\n").hexdigest()}
OWN_ROUTES = [("POST", "heartbeat", {"status": "watching"}), ("POST", "events", EVENTS), ("PUT", "config", CONFIG)]


def path(watcher, route):
    return f"/api/v1/watchers/{watcher.pk}/{route}"


@pytest.mark.parametrize(("method", "route", "body"), OWN_ROUTES)
def test_another_token_is_refused_and_nothing_is_written(as_token, method, route, body):
    watcher = make_watcher()

    answer = as_token().send(method, path(watcher, route), body)

    watcher.refresh_from_db()
    assert answer.status_code == 403
    assert (watcher.last_heartbeat_at, watcher.config_yaml) == (None, None)
    assert not WatcherEvent.objects.exists()
    assert not Heartbeat.objects.exists()


@pytest.mark.parametrize(("method", "route", "body"), OWN_ROUTES)
def test_the_own_token_is_let_in(as_token, method, route, body):
    api = as_token("watchers:report")

    assert api.send(method, path(make_watcher(token=api.token), route), body).status_code in (200, 201)


@pytest.mark.parametrize(("method", "route", "body"), OWN_ROUTES)
def test_a_deregistered_watcher_is_told_so(as_token, method, route, body):
    api = as_token()
    watcher = make_watcher(token=api.token, deleted_at=now())

    answer = api.send(method, path(watcher, route), body)

    assert answer.status_code == 409
    assert list(answer.json()["error"]["details"]) == ["deleted_at"]
    assert not WatcherEvent.objects.exists()
    assert not Heartbeat.objects.exists()


@pytest.mark.parametrize(("route", "status"), [("heartbeat", 401), ("events", 403), ("config", 403)])
def test_a_session_speaks_for_no_watcher(as_admin, route, status):
    method, _, body = next(one for one in OWN_ROUTES if one[1] == route)

    assert as_admin().send(method, path(make_watcher(), route), body).status_code == status


@pytest.mark.parametrize(("method", "route", "body"), OWN_ROUTES)
def test_input_is_checked_before_the_watcher_is_looked_up(as_token, method, route, body):
    assert as_token().send(method, path(make_watcher(), route), {}).status_code == 400
    assert (
        as_token().send(method, f"/api/v1/watchers/00000000-0000-4000-8000-000000000000/{route}", body).status_code
        == 404
    )


def test_a_foreign_token_learns_nothing_of_a_deregistered_watcher(as_token):
    watcher = make_watcher(deleted_at=now())

    assert as_token().post(path(watcher, "heartbeat"), {"status": "watching"}).status_code == 403


def test_a_bound_token_does_not_find_watchers_elsewhere(as_token):
    watcher, elsewhere = make_watcher(), make_watcher()
    api = as_token(instrument_ids=[elsewhere.instrument_id])

    assert api.post(path(watcher, "heartbeat"), {"status": "watching"}).status_code == 404
    assert api.get(f"/api/v1/watchers/{watcher.pk}").status_code == 404


def test_the_next_token_takes_over_from_a_revoked_one_and_that_is_recorded(as_token):
    former = make_token(revoked_at=now())
    watcher = make_watcher(token=former)
    heir = as_token("watchers:report")

    answer = heir.post(path(watcher, "heartbeat"), {"status": "watching"})

    taken = TakeOver.objects.get()
    watcher.refresh_from_db()
    assert answer.status_code == 200
    assert watcher.token == heir.token
    assert (taken.watcher, taken.former_token, taken.token) == (watcher, former, heir.token)
    assert as_token().post(path(watcher, "heartbeat"), {"status": "watching"}).status_code == 403


def test_a_token_that_may_not_report_takes_nothing_over(db):
    watcher = make_watcher(token=make_token(revoked_at=now()))

    with pytest.raises(NotTheOwningToken):
        find_own_watcher(watcher.pk, by=caller_for_token(make_token("watchers:read")))


def test_a_deregistered_watcher_is_not_taken_over(as_token):
    watcher = make_watcher(token=make_token(revoked_at=now()), deleted_at=now())

    assert as_token().post(path(watcher, "heartbeat"), {"status": "watching"}).status_code == 409
    assert not TakeOver.objects.exists()


def test_reporting_a_run_takes_over_too(db):
    watcher, heir = make_watcher(token=make_token(revoked_at=now())), make_token()

    find_reporting_watcher(watcher.pk, instrument_id=watcher.instrument_id, by=caller_for_token(heir))

    watcher.refresh_from_db()
    assert watcher.token == heir


@pytest.mark.django_db(transaction=True)
def test_of_many_heirs_at_once_one_gets_the_watcher():
    watcher = make_watcher(token=make_token(revoked_at=now()))
    heirs = [caller_for_token(make_token()) for _ in range(10)]

    def claim(number: int) -> bool:
        try:
            find_own_watcher(watcher.pk, by=heirs[number])
        except NotTheOwningToken:
            return False
        return True

    assert sorted(at_once(10, claim)) == 9 * [False] + [True]
    assert TakeOver.objects.count() == 1
