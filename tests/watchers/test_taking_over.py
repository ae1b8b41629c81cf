"""A computer that takes an instrument over from another, and what is written down of it."""

import json
import logging
from datetime import timedelta

import pytest

from accounts.models import Token
from accounts.trail.rows import find_trail_model
from instruments.models import Instrument
from notifications.announcements import deliver_next_announcement
from notifications.models import Notification
from tests.clients import Api
from tests.factories import make_enrolment_code, make_instrument, make_token, make_user, make_watcher
from tests.races import at_once
from tests.watchers.enrolling import CODE, COMPUTER, INSTANCE, ROUTE, enrol
from watchers.models import EnrolmentCode, TakeOver, Watcher, WatcherEvent
from wire.clock import now

pytestmark = pytest.mark.django_db


def test_the_active_watcher_passes_to_the_new_computer_and_the_old_one_is_out():
    old_token = make_token()
    watcher = make_watcher(hostname="bench-4", token=old_token, status="watching", last_heartbeat_at=now())
    make_enrolment_code(CODE, instrument=watcher.instrument)

    told = enrol().json()

    watcher.refresh_from_db()
    old_token.refresh_from_db()
    passed = TakeOver.objects.get()
    assert told["watcher_id"] == str(watcher.pk)
    assert (watcher.hostname, watcher.status, watcher.deleted_at) == ("bench-5", "registered", None)
    assert (passed.former_token, passed.token) == (old_token, watcher.token)
    assert watcher.token != old_token
    assert old_token.revoked_at is not None


def test_an_event_tells_of_the_take_over(as_token):
    watcher = make_watcher(hostname="bench-4")
    make_enrolment_code(CODE, instrument=watcher.instrument)

    enrol()

    (event,) = as_token().get(f"/api/v1/watchers/{watcher.pk}/events").json()["data"]
    assert event["event_type"] == "taken_over"
    assert event["message"] == "bench-5 took over from bench-4 with an enrolment code."
    assert event["details"] == {"former_hostname": "bench-4", "hostname": "bench-5"}


def test_admins_are_told_of_the_take_over():
    make_user(email="ada@lab.example", is_admin=True)
    instrument = make_instrument(display_name="Cary 60")
    make_watcher(hostname="bench-4", instrument=instrument)
    make_enrolment_code(CODE, instrument=instrument)
    enrol()

    while deliver_next_announcement(at=now() + timedelta(minutes=6)):  # those of a while go together
        pass

    told = Notification.objects.get(recipient__email="ada@lab.example")
    assert told.message == "bench-5 took over Cary 60 from bench-4, which can send nothing more."


def test_a_token_that_other_computers_work_with_goes_on_for_those():
    shared = make_token()
    watcher, other = make_watcher(token=shared), make_watcher(token=shared)
    make_enrolment_code(CODE, instrument=watcher.instrument)

    enrol()

    shared.refresh_from_db()
    other.refresh_from_db()
    assert (shared.revoked_at, other.token) == (None, shared)
    assert Watcher.objects.get(pk=watcher.pk).token != shared


def test_a_deregistered_watcher_stays_as_it_is():
    gone = make_watcher(deleted_at=now())
    make_enrolment_code(CODE, instrument=gone.instrument)

    assert enrol().json()["watcher_id"] != str(gone.pk)
    assert not TakeOver.objects.exists()
    assert not WatcherEvent.objects.exists()


def test_which_computer_used_a_code_and_who_made_it_is_in_the_trail():
    code = make_enrolment_code(CODE, created_by=make_user(display_name="Ada", is_admin=True))

    enrol()

    token = Token.objects.get()
    used = find_trail_model(EnrolmentCode).objects.order_by("pgh_id").last()
    watcher = find_trail_model(Watcher).objects.get()
    instrument = find_trail_model(Instrument).objects.get()
    assert (used.pgh_label, used.pgh_obj_id, used.changes["hostname"]) == ("update", code.pk, [None, "bench-5"])
    assert used.changes["instance_id"] == [None, INSTANCE]
    assert (used.pgh_context["kind"], used.pgh_context["id"]) == ("token", str(token.pk))
    assert {row.pgh_context["reason"] for row in (used, watcher, instrument)} == {"a code made by Ada"}


def test_the_log_names_what_was_enrolled_and_no_secret(caplog):
    code = make_enrolment_code(CODE, instrument=make_instrument(id="cary-60"))

    with caplog.at_level(logging.INFO, "watchers"):
        token = enrol().json()["token"]

    (line,) = [one for one in caplog.records if one.name == "watchers.enrolment"]
    assert (line.code, line.instrument, line.instance) == (str(code.pk), "cary-60", INSTANCE)
    assert line.watcher == str(Watcher.objects.get().pk)
    for secret in (CODE, CODE.replace("-", ""), code.digest, token):
        assert secret not in str(vars(line))


@pytest.mark.django_db(transaction=True)
def test_of_thirty_that_use_one_code_at_once_exactly_one_wins():
    make_enrolment_code(CODE)

    def use(number: int):
        answer = Api().post(ROUTE, COMPUTER | {"hostname": f"pc-{number}"})
        return answer.status_code, json.loads(answer.content)

    answers = at_once(30, use)

    (winner,) = [body for status, body in answers if status == 201]
    assert {status for status, _ in answers} <= {201, 404, 429}  # wrong credentials are counted, and they are many
    assert winner["watcher_id"] == str(Watcher.objects.get().pk)
    assert (Token.objects.count(), Instrument.objects.count()) == (1, 1)


@pytest.mark.django_db(transaction=True)
def test_two_codes_for_one_instrument_used_at_once_leave_one_watcher_with_one_good_token():
    instrument = make_instrument()
    for letter in "WX":
        make_enrolment_code(16 * letter, instrument=instrument)

    answers = at_once(2, lambda number: Api().post(ROUTE, COMPUTER | {"code": 16 * "WX"[number]}).status_code)

    assert answers == [201, 201]
    assert Token.objects.active().get() == Watcher.objects.get().token


@pytest.mark.django_db(transaction=True)
def test_new_instruments_of_one_name_that_come_at_once_get_different_ids():
    for letter in "WXYZ":
        make_enrolment_code(16 * letter, new_display_name="Cary 60")

    answers = at_once(4, lambda number: Api().post(ROUTE, COMPUTER | {"code": 16 * "WXYZ"[number]}).status_code)

    assert answers == [201] * 4
    assert set(Instrument.objects.values_list("id", flat=True)) == {"cary-60", *(f"cary-60-{n}" for n in (2, 3, 4))}


def test_the_computer_that_takes_over_settles_a_conflict_of_installations():
    watcher = make_watcher(
        instrument=make_instrument(id="cary-60"),
        instance_id="0190f2b4-0000-7000-8000-00000000000a",
        other_instance_id="0190f2b4-0000-7000-8000-00000000000b",
        instance_conflict_at=now(),
    )
    make_enrolment_code(CODE, instrument=watcher.instrument)

    token = enrol().json()["token"]

    watcher.refresh_from_db()
    assert (str(watcher.instance_id), watcher.other_instance_id, watcher.instance_conflict_at) == (INSTANCE, None, None)
    beat = Api(text=token).post(
        f"/api/v1/watchers/{watcher.pk}/heartbeat", {"status": "watching", "instance_id": INSTANCE}
    )
    assert beat.status_code == 200
