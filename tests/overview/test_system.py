from datetime import timedelta

from django.conf import settings

from accounts.scopes import Scope
from tests.factories import make_file, make_token, make_watcher
from wire.clock import now


def test_the_status_counts_what_went_wrong(as_token):
    make_file(status="failed")
    make_file(status="processing", processing_since=now() - timedelta(minutes=21))
    make_watcher(status="watching", last_heartbeat_at=now() - timedelta(minutes=6))
    make_watcher(status="watching", last_heartbeat_at=now())

    answer = as_token("instruments:read").get("/api/v1/system/status").json()

    assert answer["status"] == "ok"
    assert answer["runs"] == {"failed": 1, "stalled": 1}
    assert answer["watchers"] == {"active": 2, "offline": 1}
    assert answer["jobs"] == {"waiting": 0, "oldest_seconds": 0}
    assert answer["processors"] == {"broken": []}


def test_a_token_learns_who_it_is(as_token):
    api = as_token("runs:read", "read", name="reader")

    assert api.get("/api/v1/whoami").json() == {
        "kind": "token",
        "id": str(api.token.pk),
        "name": "reader",
        "scopes": ["runs:read", "read"],
        "instrument_ids": None,
    }


def test_a_person_holds_every_scope(as_person):
    person = as_person(display_name="Ada L.")

    answer = person.get("/api/v1/whoami").json()

    assert (answer["kind"], answer["name"], {*answer["scopes"]}) == ("person", "Ada L.", {*Scope})


def test_a_bound_token_counts_its_own_instruments(as_token):
    file = make_file(status="failed")
    make_file(status="failed")

    answer = as_token("instruments:read", instrument_ids=[file.run.instrument_id]).get("/api/v1/system/status")

    assert answer.json()["runs"]["failed"] == 1


def test_livez_touches_nothing(client, django_assert_num_queries, db):
    make_token()

    with django_assert_num_queries(0):
        assert client.get("/livez").json() == {"status": "ok"}


def test_readyz_names_the_parts(client, db):
    assert client.get("/readyz").json() == {
        "status": "ok",
        "database": True,
        "migrations": True,
        "queue": True,
        "storage": True,
        "storage_checksums": "verified",
        "version": settings.VERSION,
    }
