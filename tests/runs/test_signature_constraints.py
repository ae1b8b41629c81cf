"""What the database keeps of signatures and signed runs by itself, violated once."""

import pytest

from files.models import File
from runs.models import Run
from runs.signatures.models import Signature
from tests.factories import make_file, make_run, make_signature, make_user
from wire.clock import now

pytestmark = pytest.mark.django_db


def test_signatures(refused_by):
    first = make_signature()
    revoked = {"revoked_at": now(), "revoked_by": make_user(), "revocation_reason": "Wrong run"}

    refused_by("one_signature_per_run_person_and_meaning", lambda: make_signature(run=first.run, signer=first.signer))
    refused_by("signature_meaning_is_known", lambda: make_signature(meaning="liked"))
    refused_by("signature_proof_is_known", lambda: make_signature(proven_by="a friend"))
    refused_by("signature_digest_is_hex", lambda: make_signature(digest="f"))
    refused_by("signature_has_a_printed_name", lambda: make_signature(printed_name=""))
    refused_by("signature_is_revoked_with_a_reason", lambda: make_signature(**revoked | {"revocation_reason": ""}))
    refused_by("signature_is_revoked_with_a_reason", lambda: make_signature(**revoked | {"revoked_by": None}))
    make_signature(run=first.run, signer=first.signer, **revoked)


def test_a_signature_stays_whoever_writes(refused_by):
    mine = Signature.objects.filter(pk=make_signature().pk)
    revoked = {"revoked_at": now(), "revoked_by": make_user(), "revocation_reason": "Wrong run"}

    refused_by("signatures_stay", lambda: mine.update(meaning="approved"))
    refused_by("signatures_stay", lambda: mine.update(proven_by="passkey"))
    refused_by("signatures_stay", lambda: mine.update(signer=make_user(), **revoked))
    refused_by("signatures_stay", mine.delete)
    mine.update(**revoked)
    refused_by("signatures_stay", lambda: mine.update(revoked_at=None, revoked_by=None, revocation_reason=None))


@pytest.mark.parametrize(
    "change", [{"deleted_at": now()}, {"caller_metadata": {"a": 1}}, {"acquired_at": now()}, {"run_id": "other"}]
)
def test_a_signed_run_stays_whoever_writes(refused_by, change):
    runs = Run.objects.filter(pk=make_signature().run_id)

    refused_by("signed_runs_stay", lambda: runs.update(**change))
    assert runs.update(extracted={"found": 1}, tags=["seen"]) == 1


def test_files_of_a_signed_run_stay_whoever_writes(refused_by):
    run = make_run()
    make_file("a.csv", run=run)
    make_file("b.csv")
    make_signature(run=run)
    mine, other = File.objects.filter(run=run), File.objects.exclude(run=run)
    dismissed = {"deleted_at": now(), "status": "detected", "uploaded_at": None}

    refused_by("signed_files_stay", lambda: make_file("c.csv", run=run))
    refused_by("signed_files_stay", lambda: mine.update(filename="d.csv", relative_path="d.csv"))
    refused_by("signed_files_stay", lambda: mine.update(sha256="0" * 64))
    refused_by("signed_files_stay", lambda: mine.update(caller_metadata={"a": 1}))
    refused_by("signed_files_stay", lambda: mine.update(**dismissed))
    refused_by("signed_files_stay", mine.delete)
    refused_by("signed_files_stay", lambda: other.update(run=run))
    assert mine.update(extracted={"found": 1}, error_message="read again") == 1
    make_file("made.csv", run=run, category="processed")
