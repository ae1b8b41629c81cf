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
from accounts.reauthentication import prove_again
from files.signing.content import digest_of_run, list_signed_files
from runs.lifecycle import find_run, lock_active_run, lock_run
from runs.models import Run
from runs.signatures.models import Meaning, Signature
from runs.signatures.rules import describe_signature
from wire.errors import Conflict, Forbidden, NotFound, Unauthorized


class SignedAlready(Conflict):
    def __init__(self, signature: Signature) -> None:
        super().__init__(
            f"You have signed this run as {signature.meaning} already.", signature=describe_signature(signature)
        )


class NotReadyToSign(Conflict):
    def __init__(self, paths: Sequence[str]) -> None:
        super().__init__(
            "Some files are not stored with a SHA-256 yet, so nothing could be bound to them.", files=list(paths)
        )


class SignatureMissing(NotFound):
    def __init__(self) -> None:
        super().__init__("There is no such signature.")


@dataclass(frozen=True)
class ShownSignature:
    """A signature, and whether the run is still what was signed."""

    signature: Signature
    is_intact: bool


def sign_run(
    *, instrument: str, run_id: str, meaning: Meaning, password: str, address: str, by: Caller, at: datetime
) -> ShownSignature:
    """Under the signer's name of this moment. Raises what `prove_again` does, SignedAlready, NotReadyToSign."""
    find_run(instrument=instrument, run_id=run_id, by=by)
    signer = prove_again(by, password=password, address=address)
    with transaction.atomic():
        run = lock_active_run(instrument=instrument, run_id=run_id, by=by)
        _require_ready(run)
        known = Signature.objects.filter(run=run, signer=signer, meaning=meaning, revoked_at__isnull=True).first()
        if known is not None:
            raise SignedAlready(known)
        signature = Signature.objects.create(
            run=run,
            meaning=meaning,
            signer=signer,
            printed_name=signer.name,
            signed_at=at,
            digest=digest_of_run(run),
        )
    return ShownSignature(signature, is_intact=True)


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


def list_signatures(run: Run) -> list[ShownSignature]:
    """In the order of signing, revoked ones too. What was signed is compared with what there is."""
    signatures = list(Signature.objects.filter(run=run).select_related("revoked_by").order_by("signed_at", "id"))
    digest = digest_of_run(run) if signatures else ""
    return [ShownSignature(one, is_intact=compare_digest(one.digest, digest)) for one in signatures]


def _require_ready(run: Run) -> None:
    unready = list_signed_files(run).filter(Q(uploaded_at__isnull=True) | Q(sha256__isnull=True))
    if paths := list(unready.order_by("relative_path").values_list("relative_path", flat=True)[:10]):
        raise NotReadyToSign(paths)


def _require_may_revoke(signature: Signature, *, by: Caller) -> User:
    if by.user is None or by.client is not None:
        raise Unauthorized("Only people in a session of their own may do this.")
    if not may_revoke(signature, by=by):
        raise Forbidden("Only the signer and admins revoke a signature.")
    return by.user
