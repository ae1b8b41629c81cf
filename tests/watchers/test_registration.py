import json
import uuid

import pytest

from instruments.models import Instrument
from tests.clients import Api
from tests.factories import make_instrument, make_token_with_text, make_watcher
from tests.races import at_once
from watchers.models import Watcher
from wire.clock import format_timestamp

ROUTE = "/api/v1/watchers/register"


def test_a_watcher_registers_with_what_it_says_of_itself(as_token):
    make_instrument(id="reader", display_name="Plate reader")
    api = as_token("watchers:report")

    answer = api.post(
        ROUTE, {"instrument_id": "reader", "hostname": "lab-pc", "os_info": "Windows 11", "agent_version": "1.2.3"}
    )

    watcher = Watcher.objects.get()
    created_at = answer.json()["created_at"]
    assert answer.status_code == 201
    assert answer.json() == {
        "watcher_id": str(watcher.pk),
        "id": str(watcher.pk),
        "instrument_id": "reader",
        "instrument_display_name": "Plate reader",
        "hostname": "lab-pc",
        "os_info": "Windows 11",
        "agent_version": "1.2.3",
        "status": "registered",
        "upload_mode": "auto",
        "watch_directory": None,
        "last_heartbeat_at": None,
        "folder": None,
        "silent_files_since": None,
        "instance_id": None,
        "other_instance_id": None,
        "created_at": created_at,
        "updated_at": created_at,
        "deleted_at": None,
    }
    assert watcher.token == api.token


def test_only_the_instrument_is_needed(as_token):
    make_instrument(id="reader")

    answer = as_token().post(ROUTE, {"instrument_id": "reader"})

    assert answer.status_code == 201
    assert answer.json()["hostname"] is None


def test_a_second_watcher_is_told_of_the_first(as_token):
    first = make_watcher(hostname="lab-pc")

    answer = as_token().post(ROUTE, {"instrument_id": first.instrument_id, "hostname": "other"})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"existing_watcher_id": str(first.pk), "hostname": "lab-pc"}


def test_an_inactive_instrument_takes_no_watcher(as_token):
    instrument = make_instrument(status="inactive")

    answer = as_token().post(ROUTE, {"instrument_id": instrument.pk})

    assert answer.status_code == 409
    assert not Watcher.objects.exists()


def test_a_pending_instrument_takes_one(as_token):
    instrument = make_instrument(status="pending")

    assert as_token().post(ROUTE, {"instrument_id": instrument.pk}).status_code == 201


@pytest.mark.parametrize("body", [{}, {"instrument_id": ""}, {"instrument_id": None}, {"instrument_id": 5}])
def test_the_instrument_must_be_named(as_token, body):
    answer = as_token().post(ROUTE, body)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["instrument_id"]


@pytest.mark.parametrize("hostname", ["a\0b", "a\nb", "x" * 256, 7, ["pc"]])
def test_a_bad_hostname_is_refused_by_name(as_token, hostname):
    instrument = make_instrument()

    answer = as_token().post(ROUTE, {"instrument_id": instrument.pk, "hostname": hostname})

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == ["hostname"]


def test_an_unknown_instrument_is_not_found(as_token):
    assert as_token().post(ROUTE, {"instrument_id": "no-such"}).status_code == 404


def test_a_bound_token_registers_at_its_own_instrument_only(as_token):
    mine, other = make_instrument(), make_instrument()
    api = as_token(instrument_ids=[mine.pk])

    assert api.post(ROUTE, {"instrument_id": other.pk}).status_code == 404
    assert api.post(ROUTE, {"instrument_id": mine.pk}).status_code == 201


def test_a_session_cannot_register(as_admin, db):
    answer = as_admin().post(ROUTE, {"instrument_id": make_instrument().pk})

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.django_db(transaction=True)
def test_of_thirty_that_register_at_once_one_wins_and_the_others_learn_who():
    instrument = make_instrument()
    token, text = make_token_with_text()

    def register(number: int):
        answer = Api(token=token, text=text).post(ROUTE, {"instrument_id": instrument.pk, "hostname": f"pc-{number}"})
        return answer.status_code, json.loads(answer.content)

    answers = at_once(30, register)

    winner = Watcher.objects.get()
    refusals = [body["error"]["details"] for status, body in answers if status == 409]
    assert sorted(status for status, _ in answers) == [201] + 29 * [409]
    assert refusals == 29 * [{"existing_watcher_id": str(winner.pk), "hostname": winner.hostname}]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("attempt", range(5))
def test_no_watcher_slips_into_an_instrument_that_is_being_deactivated(attempt):
    instrument, (token, text) = make_instrument(), make_token_with_text()
    api = Api(token=token, text=text)

    def act(number: int) -> int:
        if number == 0:
            return api.post(ROUTE, {"instrument_id": instrument.pk}).status_code
        return api.patch(f"/api/v1/instruments/{instrument.pk}", {"status": "inactive"}).status_code

    registered, deactivated = at_once(2, act)

    assert (registered in (201, 409), deactivated) == (True, 200)
    assert not Watcher.objects.active().exists()


def test_deregistering_frees_the_instrument(as_token):
    watcher = make_watcher()
    api = as_token()

    answer = api.delete(f"/api/v1/watchers/{watcher.pk}")

    watcher.refresh_from_db()
    assert answer.status_code == 200
    assert answer.json() == {
        "id": str(watcher.pk),
        "deleted_at": format_timestamp(watcher.deleted_at),
        "already_applied": False,
    }
    assert api.post(ROUTE, {"instrument_id": watcher.instrument_id}).status_code == 201


def test_deregistering_again_says_so(as_token):
    watcher = make_watcher()
    api = as_token()
    first = api.delete(f"/api/v1/watchers/{watcher.pk}").json()

    assert api.delete(f"/api/v1/watchers/{watcher.pk}").json() == first | {"already_applied": True}


def test_an_admin_may_deregister_and_a_member_may_not(as_admin, as_person):
    watcher = make_watcher()

    assert as_person().delete(f"/api/v1/watchers/{watcher.pk}").status_code == 403
    assert as_admin().delete(f"/api/v1/watchers/{watcher.pk}").status_code == 200


@pytest.mark.parametrize("watcher_id", [uuid.UUID(int=1), "x", "1"])
def test_what_is_no_watcher_cannot_be_deregistered(as_token, watcher_id):
    assert as_token().delete(f"/api/v1/watchers/{watcher_id}").status_code == 404


def test_deactivating_an_instrument_deregisters_its_watcher(as_token):
    watcher, bystander = make_watcher(), make_watcher()

    as_token().patch(f"/api/v1/instruments/{watcher.instrument_id}", {"status": "inactive"})

    watcher.refresh_from_db()
    bystander.refresh_from_db()
    assert watcher.deleted_at == Instrument.objects.get(pk=watcher.instrument_id).updated_at
    assert watcher.status == "stopped"
    assert bystander.deleted_at is None
