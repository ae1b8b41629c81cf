"""Signing a run, and revoking a signature."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from accounts.callers import Caller
from accounts.models import User
from accounts.sign_in.passkey_proofs import PasskeyQuestion, ask_passkey
from accounts.sign_in.reauthentication import Proof, prove_again, require_own_session
from files.signing.content import digest_of_run, list_signed_files
from runs.lifecycle import find_active_run, find_run, lock_active_run, lock_run
from runs.models import Run
from runs.signatures.models import Meaning, Signature
from runs.signatures.rules import describe_signature
from wire.errors import Conflict, Forbidden, NotFound
from wire.queries.compiled import CompiledQuery

MAX_TOLD = 10  # files that are not ready
SIGNATURES_OF_RUN = CompiledQuery(
    lambda run: Signature.objects.filter(run__id=run).select_related("revoked_by").order_by("signed_at", "id")
)


class SignedAlready(Conflict):
    def __init__(self, signature: Signature) -> None:
        super().__init__(
            f"You have signed this run as {signature.meaning} already.", signature=describe_signature(signature)
        )


class NotReadyToSign(Conflict):
    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(
            "Some files are not stored with a SHA-256, so nothing could be bound to them.", files=list(paths)
        )


class RunChanged(Conflict):
    def __init__(self, digest: str) -> None:
        super().__init__("The run changed just now: look at it again before you sign.", digest=digest)


class SignatureMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such signature.")


@dataclass(frozen=True)
class ShownSignature:
    """A signature, and whether the run is still what was signed."""

    signature: Signature
    is_intact: bool


def ask_to_sign(*, instrument: str, run_id: str, meaning: Meaning, by: Caller, at: datetime) -> PasskeyQuestion:
    """For the signer's passkey: its answer signs this run as it is now, with this meaning, once.

    Raises Unauthorized, NoPasskey, SignedAlready, NotReadyToSign.
    """
    signer = require_own_session(by)
    run = find_active_run(instrument=instrument, run_id=run_id, by=by)
    _require_signable(run, signer=signer, meaning=meaning)
    return ask_passkey(signer, act=describe_act(run, meaning=meaning, digest=digest_of_run(run)), at=at)


def sign_run(
    *, instrument: str, run_id: str, meaning: Meaning, seen: str | None, proof: Proof, by: Caller, at: datetime
) -> ShownSignature:
    """Under the signer's name of this moment, what the run is at the moment of the proof.

    `seen` is the digest of what they looked at, where they say so: of anything else nothing is signed.
    Raises what `prove_again` does, SignedAlready, NotReadyToSign, RunChanged.
    """
    digest = digest_of_run(run := find_run(instrument=instrument, run_id=run_id, by=by))
    if seen is not None and seen != digest:  # no secret, and may have any signs
        raise RunChanged(digest)
    proven = prove_again(by, proof, act=describe_act(run, meaning=meaning, digest=digest), at=at)
    with transaction.atomic():
        run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
        _require_signable(run, signer=proven.person, meaning=meaning)
        if not compare_digest(digest, newest := digest_of_run(run)):
            raise RunChanged(newest)
        signature = Signature.objects.create(
            run=run,
            meaning=meaning,
            signer=proven.person,
            printed_name=proven.person.name,
            proven_by=proven.by,
            signed_at=at,
            digest=digest,
        )
    return ShownSignature(signature, is_intact=True)


def describe_act(run: Run, *, meaning: Meaning, digest: str) -> dict[str, str]:
    """What a passkey is asked for."""
    return {"act": "sign", "run": str(run.pk), "meaning": str(meaning), "digest": digest}


@transaction.atomic
def revoke_signature(
    signature_id: UUID, *, instrument: str, run_id: str, reason: str, by: Caller, at: datetime
) -> ShownSignature:
    """By whoever signed, or an admin. It stays to be seen; with the last one the run may change again."""
    run = lock_run(instrument=instrument, run_id=run_id, by=by)
    signature = find_signature(run, signature_id)
    person = _require_may_revoke(signature, by=by)
    if signature.revoked_at is not None:
        raise Conflict("The signature is revoked already.", signature=describe_signature(signature))
    signature.revoked_at, signature.revoked_by, signature.revocation_reason = at, person, reason
    signature.save(update_fields=["revoked_at", "revoked_by", "revocation_reason"])
    return ShownSignature(signature, is_intact=compare_digest(signature.digest, digest_of_run(run)))


def find_signature(run: Run, signature_id: UUID) -> Signature:
    """Raises SignatureMissing."""
    found = Signature.objects.filter(run=run, pk=signature_id).select_related("revoked_by").first()
    if found is None:
        raise SignatureMissing
    return found


def may_revoke(signed: Signature, *, by: Caller) -> bool:
    return by.user is not None and (by.is_admin or signed.signer_id == by.user.pk)


def list_unready_files(run: Run) -> Sequence[str]:
    """The first paths of those to which nothing could be bound: while there are any, nobody signs the run."""
    unready = list_signed_files(run).filter(
        Q(uploaded_at__isnull=True) | Q(purged_at__isnull=False) | Q(sha256__isnull=True)
    )
    return list(unready.order_by("relative_path").values_list("relative_path", flat=True)[:MAX_TOLD])


def list_signatures(run: Run) -> list[ShownSignature]:
    """In the order of signing, revoked ones too. What was signed is compared with what there is."""
    signatures = SIGNATURES_OF_RUN(run.pk)
    digest = digest_of_run(run) if signatures else ""
    return [ShownSignature(one, is_intact=compare_digest(one.digest, digest)) for one in signatures]


def _require_signable(run: Run, *, signer: User, meaning: Meaning) -> None:
    _require_ready(run)
    known = Signature.objects.filter(run=run, signer=signer, meaning=meaning, revoked_at__isnull=True).first()
    if known is not None:
        raise SignedAlready(known)


def _require_ready(run: Run) -> None:
    if paths := list_unready_files(run):
        raise NotReadyToSign(paths)


def _require_may_revoke(signature: Signature, *, by: Caller) -> User:
    person = require_own_session(by)
    if not may_revoke(signature, by=by):
        raise Forbidden("Only the signer and admins revoke a signature.")
    return person
