"""Signing with a passkey: its answer signs one run, as it was, for one meaning, once."""

import json
from datetime import timedelta

import pytest
from django.core.cache import cache

from accounts.sign_in.passkey_proofs import LIFETIME
from files.signing.content import digest_of_run
from runs.models import Run
from runs.signatures.models import Signature
from tests.factories import PASSWORD, make_run, make_stored_file
from tests.passkeys import SoftPasskey
from tests.races import at_once
from wire.clock import now

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _passkeys(settings):
    settings.HAS_PASSKEYS, settings.PUBLIC_URL = True, "http://localhost"


def address(run):
    return f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}/signatures"


def ask(person, run, meaning="reviewed"):
    answer = person.post(f"{address(run)}/passkey-question", {"meaning": meaning})
    assert answer.status_code == 201, answer.content
    return answer.json()["public_key"]


def sign(person, run, passkey, meaning="reviewed"):
    return person.post(address(run), {"meaning": meaning, "passkey": passkey})


def refusal(answer):
    assert not Signature.objects.exists()
    return answer.status_code, answer.json()["error"]["message"]


@pytest.fixture
def run():
    made = make_run()
    make_stored_file("a.csv", b"1,2", run=made)
    return made


@pytest.fixture
def ines(as_person):
    return as_person(display_name="Inès Moreau")


@pytest.fixture
def passkey(ines):
    return SoftPasskey(ines.user)


def test_a_passkey_signs_in_place_of_the_password(ines, passkey, run):
    signed = sign(ines, run, passkey.answer(ask(ines, run)))

    assert (signed.status_code, signed.json()["printed_name"], signed.json()["is_intact"]) == (201, "Inès Moreau", True)
    assert signed.json()["proven_by"] == "passkey"
    passkey.factor.refresh_from_db()
    assert passkey.factor.last_used_at is not None


def test_the_question_wants_the_holder_checked_and_names_ones_own_passkeys_alone(ines, passkey, as_person, run):
    SoftPasskey(as_person().user)

    question = ask(ines, run)

    assert (question["userVerification"], question["rpId"]) == ("required", "localhost")
    assert [one["id"] for one in question["allowCredentials"]] == [passkey.answer(question)["id"]]


def test_no_two_questions_are_alike(ines, passkey, run):
    assert ask(ines, run)["challenge"] != ask(ines, run)["challenge"]


def test_somebody_elses_passkey_signs_nothing(ines, passkey, as_person, run):
    foreign = SoftPasskey(as_person().user)

    refused = refusal(sign(ines, run, foreign.answer(ask(ines, run))))

    assert refused == (403, "The passkey did not match. Try again.")


def test_nor_does_a_stranger_with_an_answer_of_ones_own(ines, passkey, as_person, run):
    other = as_person()
    SoftPasskey(other.user)

    status, said = refusal(sign(other, run, passkey.answer(ask(ines, run))))

    assert (status, "something else" in said) == (403, True)


@pytest.mark.parametrize("other", ["another run", "another meaning", "the run changed"])
def test_the_answer_is_good_for_what_was_asked_alone(ines, passkey, run, other):
    answer = passkey.answer(ask(ines, run))
    if other == "the run changed":
        Run.objects.filter(pk=run.pk).update(caller_metadata={"od600": 9})
    named = make_run() if other == "another run" else run

    status, said = refusal(sign(ines, named, answer, "approved" if other == "another meaning" else "reviewed"))

    assert (status, "something else" in said) == (403, True)


def test_an_answer_signs_once_also_after_its_signature_was_revoked(ines, passkey, run):
    answer = passkey.answer(ask(ines, run))
    first = sign(ines, run, answer).json()
    ines.post(f"{address(run)}/{first['id']}/revoke", {"reason": "The wrong plate"})

    again = sign(ines, run, answer)

    assert (again.status_code, "used already" in again.json()["error"]["message"]) == (403, True)


def test_a_refused_answer_is_spent_too(ines, passkey, run):
    answer = passkey.answer(ask(ines, run))
    sign(ines, run, answer, "approved")

    assert refusal(sign(ines, run, answer))[0] == 403


@pytest.mark.django_db(transaction=True)
def test_of_five_who_bring_one_answer_at_once_one_gets_through(ines, passkey, run):
    answer = passkey.answer(ask(ines, run))
    meanings = ["reviewed"] * 5

    answers = at_once(5, lambda number: sign(ines, run, answer, meanings[number]).status_code)

    assert sorted(answers) == [201, 403, 403, 403, 403]


def test_it_ends_after_minutes(ines, passkey, run, monkeypatch):
    answer = passkey.answer(ask(ines, run))
    monkeypatch.setattr("files.signing.api.now", lambda: now() + LIFETIME)

    status, said = refusal(sign(ines, run, answer))

    assert (status, "too long ago" in said, timedelta(minutes=5) > LIFETIME) == (403, True, True)


def test_a_question_that_was_lost_signs_nothing(ines, passkey, run):
    answer = passkey.answer(ask(ines, run))
    cache.clear()

    assert refusal(sign(ines, run, answer))[0] == 403


def test_a_passkey_that_checked_nobody_signs_nothing_and_says_why(ines, passkey, run):
    status, said = refusal(sign(ines, run, passkey.answer(ask(ines, run), is_verified=False)))

    assert (status, "did not check who holds it" in said) == (403, True)


@pytest.mark.parametrize(
    "made",
    [
        {"origin": "https://localhost.evil.example"},
        {"origin": "http://localhost:9000"},
        {"origin": "https://localhost"},
        {"kind": "webauthn.create"},
    ],
)
def test_what_another_page_or_ceremony_asked_signs_nothing(ines, passkey, run, made):
    assert refusal(sign(ines, run, passkey.answer(ask(ines, run), **made)))[0] == 403


def test_nor_does_a_passkey_of_another_host(ines, passkey, run):
    foreign = SoftPasskey(ines.user, host="lab.example")

    assert refusal(sign(ines, run, foreign.answer(ask(ines, run))))[0] == 403


def test_nor_a_signature_over_something_else(ines, passkey, run):
    answer, other = passkey.answer(ask(ines, run)), passkey.answer(ask(ines, run))
    answer["response"]["signature"] = other["response"]["signature"]

    assert refusal(sign(ines, run, answer))[0] == 403


@pytest.mark.parametrize(
    "made_up",
    [
        {},
        {"id": 1, "rawId": [], "type": None, "response": {}},
        {"id": "YQ", "rawId": "YQ", "type": "public-key", "response": {"clientDataJSON": "e30"}},
        {
            "id": "YQ",
            "rawId": "YQ",
            "type": "public-key",
            "response": {"clientDataJSON": "YQ", "authenticatorData": "YQ", "signature": "YQ"},
        },
        {"id": "YQ", "rawId": "YQ", "type": "public-key", "response": "é"},
    ],
)
def test_what_is_no_answer_of_a_passkey_is_refused(ines, passkey, run, made_up):
    assert refusal(sign(ines, run, made_up))[0] == 403


@pytest.mark.parametrize("made_up", [None, "", [], "x"])
def test_what_is_no_object_is_bad_input(ines, run, made_up):
    assert refusal(sign(ines, run, made_up))[0] == 400


def test_wrong_answers_have_to_wait(ines, passkey, run):
    statuses = [sign(ines, run, {}).status_code for _ in range(11)]

    assert statuses == [403] * 10 + [429]


def test_without_a_passkey_nothing_is_asked(ines, run):
    answer = ines.post(f"{address(run)}/passkey-question", {"meaning": "reviewed"})

    assert (answer.status_code, "Settings, Security" in answer.json()["error"]["message"]) == (409, True)


def test_nor_without_https(ines, passkey, run, settings):
    settings.HAS_PASSKEYS = False

    assert ines.post(f"{address(run)}/passkey-question", {"meaning": "reviewed"}).status_code == 409


def test_a_removed_passkey_signs_nothing(ines, passkey, run):
    answer = passkey.answer(ask(ines, run))
    SoftPasskey(ines.user)
    passkey.factor.delete()

    assert refusal(sign(ines, run, answer))[0] == 403


def test_the_page_signs_with_it_and_needs_no_password(ines, passkey, run):
    page = f"/instruments/{run.instrument_id}/runs/{run.run_id}/sign"
    assert "Sign with a passkey" in ines.client.get(page).content.decode()
    answer = passkey.answer(ask(ines, run))
    ines.client.handler.enforce_csrf_checks = False

    form = {"meaning": "reviewed", "password": "", "digest": digest_of_run(run), "passkey": json.dumps(answer)}
    sent = ines.client.post(page, form)

    assert (sent.status_code, Signature.objects.get().meaning) == (302, "reviewed")


@pytest.mark.parametrize("made_up", ["x", "[]", "{}", "[" * 5000, '{"a": "\\u0000"}'])
def test_the_page_refuses_what_is_none(ines, passkey, run, made_up):
    page = f"/instruments/{run.instrument_id}/runs/{run.run_id}/sign"
    ines.client.handler.enforce_csrf_checks = False

    form = {"meaning": "reviewed", "digest": digest_of_run(run), "passkey": made_up}
    answer = ines.client.post(page, form)

    assert answer.status_code in (400, 403)
    assert not Signature.objects.exists()


def test_without_a_passkey_the_page_offers_none(ines, run):
    page = ines.client.get(f"/instruments/{run.instrument_id}/runs/{run.run_id}/sign").content.decode()

    assert "Sign with a passkey" not in page


def test_the_password_goes_on_to_sign(ines, passkey, run):
    assert ines.post(address(run), {"meaning": "reviewed", "password": PASSWORD}).status_code == 201
