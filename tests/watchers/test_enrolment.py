"""A computer trades a code for a token: POST /enrol."""

from datetime import timedelta

import pytest

from accounts.models import Token
from instruments.models import Instrument
from tests.clients import Api
from tests.factories import make_enrolment_code, make_instrument, make_user
from tests.watchers.enrolling import CODE, COMPUTER, ROUTE, enrol
from watchers.models import Watcher
from wire.clock import now

WATCHER_SCOPES = {
    *("instruments:read", "instruments:create", "watchers:read", "watchers:report", "runs:read", "runs:create"),
    *("runs:update", "runs:upload", "files:read", "files:update"),
}

pytestmark = pytest.mark.django_db


def test_a_code_is_traded_for_a_token_that_works(settings):
    settings.PUBLIC_URL = "https://data.lab.example"
    make_enrolment_code(CODE, instrument=make_instrument(id="cary-60"))

    answer = enrol(os_info="Windows 10", agent_version="2.1.0")

    told, watcher = answer.json(), Watcher.objects.get()
    assert (answer.status_code, answer["Cache-Control"]) == (201, "no-store")
    assert told == {
        "token": told["token"],
        "instrument_id": "cary-60",
        "watcher_id": str(watcher.pk),
        "public_url": "https://data.lab.example",
        "release_public_key": None,
    }
    assert (watcher.hostname, watcher.os_info, watcher.agent_version) == ("bench-5", "Windows 10", "2.1.0")
    assert watcher.status == "registered"
    beat = Api(text=told["token"]).post(f"/api/v1/watchers/{watcher.pk}/heartbeat", {"status": "watching"})
    assert beat.status_code == 200


def test_the_token_is_a_watchers_bound_without_end_and_named_after_the_computer():
    code = make_enrolment_code(CODE, instrument=make_instrument(id="cary-60"))

    enrol()

    token = Token.objects.get()
    assert set(token.scopes) == WATCHER_SCOPES
    assert (token.instrument_ids, token.expires_at, token.name) == (["cary-60"], None, "bench-5")
    assert token.created_by == code.created_by


def test_what_was_traded_under_a_key_is_told_again_to_whoever_sends_the_same():
    """As where the answer was lost on its way: the code is spent."""
    make_enrolment_code(CODE)

    first, again = (Api().post(ROUTE, COMPUTER, Idempotency_Key="a") for _ in range(2))

    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.json(), again["Idempotency-Replayed"]) == (first.json(), "true")
    assert Token.objects.count() == 1


@pytest.mark.parametrize(
    ("said", "key", "status"),
    [
        ({"instance_id": "0190f2b4-0000-7000-8000-000000000002"}, "a", 409),
        ({"code": "ZZZZ-EFGH-JKMN-PQRS"}, "a", 404),
        ({}, "b", 404),
        ({"code": None}, "a", 400),
        ({"code": "\ud800"}, "a", 400),
    ],
)
def test_a_key_opens_nothing_to_anybody_else(said, key, status):
    make_enrolment_code(CODE)
    Api().post(ROUTE, COMPUTER, Idempotency_Key="a")

    assert Api().post(ROUTE, COMPUTER | said, Idempotency_Key=key).status_code == status


def test_a_very_long_hostname_is_cut_in_the_name_of_the_token_alone():
    make_enrolment_code(CODE)

    assert enrol(hostname="h" * 255).status_code == 201
    assert (Token.objects.get().name, Watcher.objects.get().hostname) == ("h" * 100, "h" * 255)


@pytest.mark.parametrize("typed", ["abcd-efgh-jkmn-pqrs", "abcdefghjkmnpqrs", "ABCD EFGH JKMN PQRS"])
def test_a_code_is_taken_however_it_is_typed(typed):
    make_enrolment_code(CODE)

    assert enrol(code=typed).status_code == 201


def test_a_spent_an_ended_an_orphaned_and_an_unknown_code_are_all_alike():
    ended = {"created_at": now() - timedelta(hours=1), "expires_at": now() - timedelta(seconds=1)}
    make_enrolment_code(CODE)
    make_enrolment_code("EEEE-EEEE-EEEE-EEEE", **ended)
    make_enrolment_code("MMMM-MMMM-MMMM-MMMM", created_by=make_user(is_admin=False))
    make_enrolment_code("SSSS-SSSS-SSSS-SSSS", created_by=make_user(is_admin=True, is_active=False))
    enrol()
    bad = [CODE, *(4 * (4 * sign,) for sign in "EMS")]

    answers = [enrol(code=code if isinstance(code, str) else "-".join(code)) for code in [*bad, "nonsense", "é"]]

    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.content for answer in answers}) == 1
    assert Watcher.objects.count() == 1


def test_whatever_is_wrong_with_a_code_the_database_is_asked_the_same(django_assert_num_queries):
    make_enrolment_code(CODE)
    enrol()

    for code in (CODE, "nonsense", "ZZZZ-ZZZZ-ZZZZ-ZZZZ"):
        with django_assert_num_queries(4):  # the one question, and its savepoint: begun, rolled back, released
            enrol(code=code)


def test_the_twenty_first_wrong_code_of_an_address_in_a_minute_has_to_wait():
    answers = [enrol(code=f"guess-{number}") for number in range(21)]

    assert [answer.status_code for answer in answers] == [404] * 20 + [429]
    assert 1 <= int(answers[20]["Retry-After"]) <= 60


def test_wrong_codes_and_wrong_tokens_count_together(anonymous):
    for _ in range(20):
        anonymous.get("/api/v1/whoami", Authorization="Bearer ids_nonsense")

    assert enrol(code="guess").status_code == 429


def test_a_good_code_passes_at_an_address_that_sent_wrong_ones():
    make_enrolment_code(CODE)
    for _ in range(25):
        enrol(code="guess")

    assert enrol().status_code == 201


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"code": None}, "code"),
        ({"code": 7}, "code"),
        ({"code": "x" * 65}, "code"),
        ({"hostname": ""}, "hostname"),
        ({"hostname": "a\0b"}, "hostname"),
        ({"hostname": "h" * 256}, "hostname"),
        ({"os_info": ["Windows"]}, "os_info"),
        ({"agent_version": "v" * 65}, "agent_version"),
        ({"instance_id": None}, "instance_id"),
        ({"instance_id": "bench-5"}, "instance_id"),
    ],
)
def test_bad_input_is_refused_by_name_and_spends_nothing(said, field):
    make_enrolment_code(CODE)

    answer = enrol(**said)

    assert answer.status_code == 400
    assert list(answer.json()["error"]["details"]["fields"]) == [field]
    assert enrol().status_code == 201


def test_a_token_that_ended_or_a_session_beside_the_code_does_not_matter(as_person):
    make_enrolment_code(CODE)
    make_enrolment_code("WWWW-WWWW-WWWW-WWWW")
    browser = as_person()
    del browser.headers["X-CSRFToken"]

    assert Api(text="ids_revoked").post(ROUTE, COMPUTER).status_code == 201
    assert browser.post(ROUTE, COMPUTER | {"code": "WWWW-WWWW-WWWW-WWWW"}).status_code == 201


def test_an_instrument_that_was_deactivated_meanwhile_refuses_and_the_code_stays_good():
    instrument = make_instrument(id="cary-60", status="inactive")
    make_enrolment_code(CODE, instrument=instrument)

    refused = enrol()
    Instrument.objects.update(status="active")

    assert (refused.status_code, refused.json()["error"]["details"]) == (409, {"instrument_id": "cary-60"})
    assert not Token.objects.exists()
    assert enrol().status_code == 201


def test_a_new_instrument_is_announced_when_its_code_is_used():
    make_enrolment_code(
        CODE, new_instrument_id="nanodrop", new_display_name="NanoDrop, bench 5", new_instrument_type="generic"
    )
    assert not Instrument.objects.exists()

    assert enrol().json()["instrument_id"] == "nanodrop"

    instrument = Instrument.objects.get()
    assert (instrument.display_name, instrument.status) == ("NanoDrop, bench 5", "pending")


@pytest.mark.parametrize(
    ("name", "slug", "shown"),
    [
        ("ÄKTA pure 25, cold_room", "akta-pure-25-cold-room", "ÄKTA pure 25, cold_room"),
        ("顕微鏡", "instrument", "顕微鏡"),
        ("n" * 255, "n" * 58, "n" * 255),
        (None, "bench-5", "bench-5"),
    ],
)
def test_an_instrument_without_an_id_gets_one_from_its_name_or_its_computers(name, slug, shown):
    make_enrolment_code(CODE, new_display_name=name)

    assert enrol().json()["instrument_id"] == slug
    assert Instrument.objects.get().display_name == shown


def test_several_codes_for_new_instruments_make_several(as_admin):
    asked = {"new_instrument": {"display_name": "Cary 60"}, "count": 3}
    codes = [one["code"] for one in as_admin().post("/api/v1/enrolment-codes", asked).json()["data"]]

    made = [enrol(code=code, hostname=f"pc-{number}").json()["instrument_id"] for number, code in enumerate(codes)]

    assert made == ["cary-60", "cary-60-2", "cary-60-3"]


def test_an_id_that_was_taken_meanwhile_is_told_and_the_code_stays_good():
    make_enrolment_code(CODE, new_instrument_id="nanodrop")
    rival = make_instrument(id="nanodrop")

    refused = enrol()
    rival.delete()

    assert (refused.status_code, refused.json()["error"]["details"]) == (409, {"instrument_id": "nanodrop"})
    assert enrol().status_code == 201
