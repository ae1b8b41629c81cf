"""Admins make enrolment codes: POST /enrolment-codes."""

import hashlib
import logging
import re
from datetime import datetime, timedelta

import pytest

from accounts.trail.rows import find_trail_model
from tests.factories import make_enrolment_code, make_instrument, make_watcher
from watchers import tasks
from watchers.enrolment_codes import code_digest, forget_ended_codes
from watchers.models import EnrolmentCode
from wire.clock import now
from wire.ids import new_id

ROUTE = "/api/v1/enrolment-codes"
SHOWN = re.compile(r"[A-HJKMNP-TV-Z2-9]{4}(-[A-HJKMNP-TV-Z2-9]{4}){3}")


def made_at(told, *, expires_in):
    """When a code was made that lives for so many seconds."""
    return datetime.fromisoformat(told["expires_at"]) - timedelta(seconds=expires_in)


def test_a_code_is_shown_in_groups_and_lives_for_a_quarter_of_an_hour(as_admin):
    make_instrument(id="cary-60")
    before = now()

    answer = as_admin().post(ROUTE, {"instrument_id": "cary-60"})

    (told,) = answer.json()["data"]
    assert answer.status_code == 201
    assert answer["Cache-Control"] == "no-store"
    assert told.keys() == {"code", "instrument_id", "expires_at"}
    assert SHOWN.fullmatch(told["code"])
    assert told["instrument_id"] == "cary-60"
    assert before <= made_at(told, expires_in=900) <= now()


def test_only_the_digest_is_kept(as_admin):
    api = as_admin()

    code = api.post(ROUTE, {"new_instrument": {}}).json()["data"][0]["code"]

    row = EnrolmentCode.objects.get()
    assert row.digest == hashlib.sha256(code.replace("-", "").encode()).hexdigest()
    assert row.created_by == api.user
    assert code not in str(vars(row))


def test_many_are_made_at_once_and_no_two_are_alike(as_admin):
    before = now()

    answer = as_admin().post(ROUTE, {"new_instrument": {}, "count": 200, "expires_in": 604_800})

    told = answer.json()["data"]
    assert len({one["code"] for one in told}) == 200
    assert {one["instrument_id"] for one in told} == {None}
    assert all(before <= made_at(one, expires_in=604_800) <= now() for one in told)


def test_a_new_instrument_may_have_its_id_already(as_admin):
    asked = {"new_instrument": {"id": "nanodrop-5", "display_name": "NanoDrop, bench 5", "instrument_type": "generic"}}

    answer = as_admin().post(ROUTE, asked)

    row = EnrolmentCode.objects.get()
    assert answer.json()["data"][0]["instrument_id"] == "nanodrop-5"
    assert (row.new_instrument_id, row.new_display_name, row.new_instrument_type) == (
        "nanodrop-5",
        "NanoDrop, bench 5",
        "generic",
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "instrument_id"),
        ({"instrument_id": "cary-60", "new_instrument": {}}, "instrument_id"),
        ({"instrument_id": 7}, "instrument_id"),
        ({"new_instrument": []}, "new_instrument"),
        ({"new_instrument": {"id": "No Slug"}}, "new_instrument.id"),
        ({"new_instrument": {"display_name": "n" * 256}}, "new_instrument.display_name"),
        ({"new_instrument": {"instrument_type": "unheard-of"}}, "new_instrument.instrument_type"),
        ({"new_instrument": {"id": "one"}, "count": 2}, "count"),
        ({"new_instrument": {}, "count": 0}, "count"),
        ({"new_instrument": {}, "count": 201}, "count"),
        ({"new_instrument": {}, "count": True}, "count"),
        ({"new_instrument": {}, "expires_in": 0}, "expires_in"),
        ({"new_instrument": {}, "expires_in": 604_801}, "expires_in"),
        ({"new_instrument": {}, "expires_in": "900"}, "expires_in"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(as_admin, body, field):
    make_instrument(id="cary-60")

    answer = as_admin().post(ROUTE, body)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]
    assert not EnrolmentCode.objects.exists()


def test_an_unknown_instrument_is_404(as_admin):
    assert as_admin().post(ROUTE, {"instrument_id": "nowhere"}).status_code == 404


def test_an_inactive_instrument_gets_no_code(as_admin):
    make_instrument(id="cary-60", status="inactive")

    answer = as_admin().post(ROUTE, {"instrument_id": "cary-60"})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"instrument_id": "cary-60"}


def test_an_id_that_is_there_is_not_new(as_admin):
    make_instrument(id="cary-60")

    answer = as_admin().post(ROUTE, {"new_instrument": {"id": "cary-60"}})

    assert answer.status_code == 409
    assert answer.json()["error"]["details"] == {"instrument_id": "cary-60"}


@pytest.mark.parametrize("typed", ["abcd-efgh-jkmn-pqrs", "ABCDEFGHJKMNPQRS", " abcd efgh JKMN PQRS "])
def test_a_code_is_known_however_it_is_typed(typed):
    assert code_digest(typed) == code_digest("ABCD-EFGH-JKMN-PQRS")


def test_who_made_a_code_is_in_the_trail_and_the_log_and_the_code_is_in_neither(as_admin, caplog):
    api = as_admin(display_name="Ada")
    with caplog.at_level(logging.INFO, "watchers"):
        code = api.post(ROUTE, {"new_instrument": {"id": "nanodrop"}}).json()["data"][0]["code"]

    (row,) = find_trail_model(EnrolmentCode).objects.all()
    (line,) = [one for one in caplog.records if one.name == "watchers.enrolment_codes"]
    assert (row.pgh_label, row.pgh_context["name"]) == ("insert", "Ada")
    assert row.changes["new_instrument_id"] == [None, "nanodrop"]
    assert (line.count, line.instrument, line.by) == (1, "nanodrop", str(api.user.pk))
    for secret in (code, code.replace("-", ""), code_digest(code)):
        assert secret not in str(row.changes) + str(vars(line))


def test_codes_are_forgotten_when_their_time_is_over_used_ones_too(db):
    at = now()
    past = {"created_at": at - timedelta(days=2), "expires_at": at}
    make_enrolment_code(**past)
    make_enrolment_code(**past, used_at=at, watcher=make_watcher(), hostname="pc", instance_id=new_id())
    kept = make_enrolment_code(created_at=at - timedelta(days=2), expires_at=at + timedelta(milliseconds=1))

    assert forget_ended_codes(at=at) == 2
    assert list(EnrolmentCode.objects.all()) == [kept]


def test_the_hourly_task_forgets_them(db):
    make_enrolment_code(created_at=now() - timedelta(days=2), expires_at=now() - timedelta(days=1))

    tasks.delete_old_events_and_heartbeats()

    assert not EnrolmentCode.objects.exists()
