"""Signatures on a run: who, when and for what; what was signed stays as it was."""

import hashlib
import json

import pytest

from accounts.trail.rows import find_trail_model
from files.models import File
from runs.models import Run
from runs.signatures.models import Signature
from tests.factories import PASSWORD, make_file, make_run, make_signature, make_stored_file
from wire.clock import now

pytestmark = pytest.mark.django_db
REVIEWED = {"meaning": "reviewed", "password": PASSWORD}


def address(run):
    return f"/api/v1/instruments/{run.instrument_id}/runs/{run.run_id}"


@pytest.fixture
def ines(as_person):
    return as_person(display_name="Inès Moreau")


@pytest.fixture
def signed(ines):
    run = make_run(caller_metadata={"od600": 0.5})
    make_stored_file("a.csv", b"1,2", run=run)
    return run, ines.post(f"{address(run)}/signatures", REVIEWED)


def test_a_signature_shows_the_name_the_time_and_the_meaning(ines, signed):
    run, answer = signed

    shown = answer.json()
    assert (answer.status_code, shown["printed_name"], shown["meaning"]) == (201, "Inès Moreau", "reviewed")
    assert shown["signed_at"].endswith("Z")
    assert ines.get(f"{address(run)}/signatures").json() == {"signatures": [shown], "digest": shown["digest"]}


def test_it_says_how_it_was_proven_and_so_does_the_trail(ines, signed):
    run, answer = signed
    ines.user.set_unusable_password()
    ines.user.save()
    ines.client.force_login(ines.user)
    other = ines.post(f"{address(run)}/signatures", {"meaning": "approved"})

    trail = find_trail_model(Signature).objects.order_by("pgh_id").values_list("changes", flat=True)
    assert [one.json()["proven_by"] for one in (answer, other)] == ["password", "sign_in"]
    assert [changes["proven_by"] for changes in trail] == [[None, "password"], [None, "sign_in"]]


def test_what_changed_since_it_was_looked_at_is_not_signed(ines):
    run = make_run()
    seen = ines.get(f"{address(run)}/signatures").json()["digest"]
    Run.objects.filter(pk=run.pk).update(caller_metadata={"od600": 9})

    refused = ines.post(f"{address(run)}/signatures", REVIEWED | {"digest": seen})

    assert (refused.status_code, Signature.objects.count()) == (409, 0)
    seen = ines.get(f"{address(run)}/signatures").json()["digest"]
    assert ines.post(f"{address(run)}/signatures", REVIEWED | {"digest": seen}).status_code == 201


def test_a_new_name_of_the_signer_changes_no_signature(ines, signed):
    run, _ = signed
    ines.user.display_name = "Inès Petit"
    ines.user.save()

    assert ines.get(f"{address(run)}/signatures").json()["signatures"][0]["printed_name"] == "Inès Moreau"


def test_it_is_bound_to_metadata_and_files_by_a_sum_that_anybody_can_make_again(as_token, signed):
    run, answer = signed
    content = {
        "instrument_id": run.instrument_id,
        "run_id": run.run_id,
        "acquired_at": None,
        "metadata": {"od600": 0.5},
        "files": [
            {
                "relative_path": "a.csv",
                "size_bytes": 3,
                "sha256": hashlib.sha256(b"1,2").hexdigest(),
                "metadata": {},
            }
        ],
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert answer.json()["digest"] == hashlib.sha256(text.encode()).hexdigest()


def test_a_change_behind_its_back_shows(ines):
    run = make_run()
    make_signature(run=run, digest="0" * 64)

    assert ines.get(f"{address(run)}/signatures").json()["signatures"][0]["is_intact"] is False


def test_each_signing_asks_for_the_password(ines):
    run = make_run()

    refused = ines.post(f"{address(run)}/signatures", REVIEWED | {"password": "wrong"})

    assert (refused.status_code, refused.json()["error"]["message"]) == (403, "The password is wrong.")
    assert not Signature.objects.exists()


@pytest.mark.parametrize("digest", ["0" * 64, "another", "é", "\uff12"])
def test_what_is_not_what_was_seen_is_not_signed_whatever_is_said_of_it(ines, digest):
    run = make_run()

    refused = ines.post(f"{address(run)}/signatures", REVIEWED | {"digest": digest})

    assert (refused.status_code, [*refused.json()["error"]["details"]]) == (409, ["digest"])
    assert not Signature.objects.exists()


@pytest.mark.parametrize("body", [{"meaning": "reviewed"}, {"meaning": "reviewed", "password": ""}])
def test_who_sends_no_proof_is_told_what_is_missing(ines, body):
    """And nothing is counted, as nobody guessed."""
    run = make_run()

    refused = [ines.post(f"{address(run)}/signatures", body) for _ in range(11)][-1]

    assert (refused.status_code, [*refused.json()["error"]["details"]["fields"]]) == (400, ["password"])
    assert ines.post(f"{address(run)}/signatures", REVIEWED).status_code == 201


def test_wrong_passwords_count_as_wrong_sign_ins(ines, client):
    run = make_run()
    wrong = [ines.post(f"{address(run)}/signatures", REVIEWED | {"password": str(n)}).status_code for n in range(11)]

    assert wrong == [403] * 10 + [429]
    signing_in = client.post("/accounts/login/", {"login": ines.user.email, "password": PASSWORD})
    assert signing_in.status_code == 429


def test_who_comes_by_identity_provider_needs_a_recent_sign_in(ines, monkeypatch):
    run = make_run()
    ines.user.set_unusable_password()
    ines.user.save()
    ines.client.force_login(ines.user)

    assert ines.post(f"{address(run)}/signatures", {"meaning": "approved"}).status_code == 201
    monkeypatch.setattr("accounts.authentication.is_recent_sign_in", lambda session, *, at: False)
    refused = ines.post(f"{address(run)}/signatures", {"meaning": "reviewed"})
    assert (refused.status_code, "Sign in again" in refused.json()["error"]["message"]) == (403, True)


def test_tokens_do_not_sign(as_token):
    assert as_token().post(f"{address(make_run())}/signatures", REVIEWED).status_code == 401


def test_nobody_signs_the_same_twice_but_another_meaning_and_another_person_may(ines, as_person, signed):
    run, first = signed

    again = ines.post(f"{address(run)}/signatures", REVIEWED)

    assert (again.status_code, again.json()["error"]["details"]["signature"]["id"]) == (409, first.json()["id"])
    assert ines.post(f"{address(run)}/signatures", REVIEWED | {"meaning": "approved"}).status_code == 201
    assert as_person().post(f"{address(run)}/signatures", REVIEWED).status_code == 201


def test_what_is_not_stored_yet_cannot_be_signed(ines):
    run = make_run()
    make_file("late.csv", run=run, status="detected")

    refused = ines.post(f"{address(run)}/signatures", REVIEWED)

    assert (refused.status_code, refused.json()["error"]["details"]) == (409, {"files": ["late.csv"]})


def test_what_was_purged_cannot_be_signed_and_a_signature_outlives_the_purge(ines, signed):
    """Nobody can have looked at it; who signed before that did."""
    run, _ = signed
    File.objects.filter(run=run).update(purged_at=now(), purged_by_rule="expire_raw_after_days")

    refused = ines.post(f"{address(run)}/signatures", REVIEWED | {"meaning": "approved"})

    assert (refused.status_code, refused.json()["error"]["details"]) == (409, {"files": ["a.csv"]})
    assert ines.get(f"{address(run)}/signatures").json()["signatures"][0]["is_intact"] is True


@pytest.mark.parametrize(
    ("method", "rest", "body"),
    [
        ("PATCH", "", {"metadata": {"od600": 1}}),
        ("PATCH", "", {"metadata_patch": {"od600": 1}}),
        ("PATCH", "", {"acquired_at": "2020-01-01T00:00:00Z"}),
        ("PATCH", "", {"detected_files": [{"filename": "b.csv", "relative_path": "b.csv"}]}),
        ("DELETE", "", None),
        ("POST", "/files", {"filename": "b.csv", "relative_path": "b.csv"}),
        ("POST", "/request-upload-url", {"filename": "b.csv", "relative_path": "b.csv", "size_bytes": 1}),
    ],
)
def test_a_signed_run_is_frozen(as_token, signed, method, rest, body):
    run, signature = signed

    refused = as_token().send(method, address(run) + rest, body)

    assert refused.status_code == 409, refused.content
    assert refused.json()["error"]["details"]["signature"]["id"] == signature.json()["id"]


def test_so_is_what_callers_said_of_its_files(as_token, signed):
    run, _ = signed

    refused = as_token().patch(f"/api/v1/files/{run.files.get().pk}", {"metadata": {"plate": 7}})

    assert (refused.status_code, list(refused.json()["error"]["details"])) == (409, ["signature"])


def test_what_says_nothing_new_still_passes(as_token, signed):
    run, _ = signed
    token = as_token()
    again = {"run_id": run.run_id, "detected_files": [{"filename": "a.csv", "relative_path": "a.csv"}]}

    assert token.patch(address(run), {"metadata": {"od600": 0.5}}).status_code == 200
    assert token.post(f"/api/v1/instruments/{run.instrument_id}/runs", again).status_code == 200
    assert token.put(f"{address(run)}/tags/qc").status_code == 200


def test_what_reading_finds_still_arrives(ines, signed):
    run, _ = signed
    Run.objects.filter(pk=run.pk).update(extracted={"technique": "absorbance"})
    make_file("curve.json", run=run, category="processed")

    assert ines.get(f"{address(run)}/signatures").json()["signatures"][0]["is_intact"] is True


def test_revoked_it_is_kept_with_its_reason_and_the_run_thaws(ines, as_token, signed):
    run, signature = signed
    place = f"{address(run)}/signatures/{signature.json()['id']}/revoke"

    revoked = ines.post(place, {"reason": "The wrong plate"})

    assert (revoked.status_code, revoked.json()["revoked"]["reason"]) == (200, "The wrong plate")
    assert revoked.json()["revoked"]["by"] == "Inès Moreau"
    assert as_token().patch(address(run), {"metadata": {"od600": 1}}).status_code == 200
    shown = ines.get(f"{address(run)}/signatures").json()["signatures"]
    assert [(one["is_intact"], one["revoked"]["reason"]) for one in shown] == [(False, "The wrong plate")]
    assert ines.post(place, {"reason": "Again"}).status_code == 409
    assert ines.post(f"{address(run)}/signatures", REVIEWED).status_code == 201


def test_one_of_two_signatures_keeps_the_run(ines, as_token, signed):
    run, signature = signed
    ines.post(f"{address(run)}/signatures", REVIEWED | {"meaning": "approved"})
    ines.post(f"{address(run)}/signatures/{signature.json()['id']}/revoke", {"reason": "Once is enough"})

    assert as_token().delete(address(run)).status_code == 409


@pytest.mark.parametrize("body", [{}, {"reason": ""}, {"reason": " "}, {"reason": "x" * 1001}])
def test_revoking_needs_a_reason(ines, signed, body):
    run, signature = signed

    assert ines.post(f"{address(run)}/signatures/{signature.json()['id']}/revoke", body).status_code == 400


def test_others_do_not_revoke_it_and_admins_do(as_person, as_admin, as_token, signed):
    run, signature = signed
    place, why = f"{address(run)}/signatures/{signature.json()['id']}/revoke", {"reason": "Left the group"}

    assert as_person().post(place, why).status_code == 403
    assert as_token().post(place, why).status_code == 401
    assert as_admin().post(place, why).status_code == 200


def test_a_signature_of_another_run_does_not_exist(as_admin, signed):
    place = f"{address(make_run())}/signatures/{signed[1].json()['id']}/revoke"

    assert as_admin().post(place, {"reason": "Wrong"}).status_code == 404


def test_the_history_tells_it_in_sentences(ines, signed):
    run, signature = signed
    ines.post(f"{address(run)}/signatures/{signature.json()['id']}/revoke", {"reason": "The wrong plate"})

    page = ines.client.get(f"{address(run).removeprefix('/api/v1')}/history").content.decode()

    assert "Inès Moreau signed it as reviewed" in page
    assert "Inès Moreau revoked the signature as reviewed" in page
