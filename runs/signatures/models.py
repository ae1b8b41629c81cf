"""Signatures: who stood up for a run, for what, and what exactly they saw."""

import pgtrigger
from django.db import models
from django.db.models import Q

from accounts.models import User
from accounts.sign_in.proofs import ProvenBy
from accounts.trail.rows import audited
from wire.clock import now
from wire.columns import has_length, is_hex
from wire.ids import new_id

MAX_REASON_CHARACTERS = 1_000
REVOCATION = ("revoked_at", "revoked_by", "revocation_reason")
KEEP_SIGNATURES = """
    IF TG_OP = 'DELETE' OR OLD.revoked_at IS NOT NULL
       OR to_jsonb(OLD) - ARRAY['revoked_at', 'revoked_by_id', 'revocation_reason']
          IS DISTINCT FROM to_jsonb(NEW) - ARRAY['revoked_at', 'revoked_by_id', 'revocation_reason'] THEN
        RAISE EXCEPTION 'a signature stays as it is' USING ERRCODE = 'check_violation', CONSTRAINT = 'signatures_stay';
    END IF;
    RETURN NEW;
"""


class Meaning(models.TextChoices):
    AUTHORED = "authored"
    REVIEWED = "reviewed"
    APPROVED = "approved"


@audited(
    *("meaning", "signer", "printed_name", "proven_by", "digest", *REVOCATION),
    set_later=REVOCATION,
    parent="run",
)
class Signature(models.Model):
    """One signature. Nothing of it changes, but that it is revoked, once."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    run = models.ForeignKey("runs.Run", on_delete=models.PROTECT, related_name="signatures", db_index=False)
    meaning = models.CharField(max_length=8, choices=Meaning)
    signer = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+", db_index=False)
    printed_name = models.CharField(max_length=255)  # as it was at signing
    proven_by = models.CharField(max_length=8, choices=ProvenBy, null=True, blank=True)  # null: from before it was kept
    signed_at = models.DateTimeField(default=now, editable=False)
    digest = models.CharField(max_length=64)  # SHA-256 of what was signed: files.signing.content
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, blank=True, related_name="+", db_index=False
    )
    revocation_reason = models.CharField(max_length=MAX_REASON_CHARACTERS, null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["run", "signed_at"], name="signatures_of_run")]
        triggers = [
            pgtrigger.Trigger(
                name="append_only",
                when=pgtrigger.Before,
                operation=pgtrigger.Update | pgtrigger.Delete,
                func=KEEP_SIGNATURES,
            )
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "signer", "meaning"],
                condition=Q(revoked_at__isnull=True),
                name="one_signature_per_run_person_and_meaning",
            ),
            models.CheckConstraint(condition=Q(meaning__in=Meaning.values), name="signature_meaning_is_known"),
            models.CheckConstraint(condition=Q(proven_by__in=ProvenBy.values), name="signature_proof_is_known"),
            models.CheckConstraint(condition=is_hex("digest", digits=64), name="signature_digest_is_hex"),
            models.CheckConstraint(
                condition=has_length("printed_name", least=1, most=255), name="signature_has_a_printed_name"
            ),
            models.CheckConstraint(
                condition=Q(revoked_at__isnull=True, revoked_by__isnull=True, revocation_reason__isnull=True)
                | Q(revoked_at__isnull=False, revoked_by__isnull=False, revocation_reason__isnull=False)
                & has_length("revocation_reason", least=1, most=MAX_REASON_CHARACTERS),
                name="signature_is_revoked_with_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.meaning} by {self.printed_name}"
