"""How each signature was proven, in its row and in its trail."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0026_runs_by_change"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="signature",
            name="trail_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="signature",
            name="trail_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="signature",
            name="trail_delete",
        ),
        migrations.AddField(
            model_name="signature",
            name="proven_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("password", "with the password"),
                    ("passkey", "with a passkey"),
                    ("sign_in", "after a recent sign-in"),
                ],
                max_length=8,
                null=True,
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="signature",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_signaturetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."run_id", CASE WHEN NEW."meaning" IS NOT NULL THEN jsonb_build_object(\'meaning\', jsonb_build_array(NULL, NEW."meaning")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."signer_id" IS NOT NULL THEN jsonb_build_object(\'signer_id\', jsonb_build_array(NULL, NEW."signer_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."printed_name" IS NOT NULL THEN jsonb_build_object(\'printed_name\', jsonb_build_array(NULL, NEW."printed_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."proven_by" IS NOT NULL THEN jsonb_build_object(\'proven_by\', jsonb_build_array(NULL, NEW."proven_by")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."digest" IS NOT NULL THEN jsonb_build_object(\'digest\', jsonb_build_array(NULL, NEW."digest")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="5b0736501d14da98fb97e31fafeee4c85b0f552e",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_f6925",
                    table="runs_signature",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="signature",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."digest" IS DISTINCT FROM (NEW."digest") OR OLD."meaning" IS DISTINCT FROM (NEW."meaning") OR OLD."printed_name" IS DISTINCT FROM (NEW."printed_name") OR OLD."proven_by" IS DISTINCT FROM (NEW."proven_by") OR OLD."revocation_reason" IS DISTINCT FROM (NEW."revocation_reason") OR OLD."revoked_at" IS DISTINCT FROM (NEW."revoked_at") OR OLD."revoked_by_id" IS DISTINCT FROM (NEW."revoked_by_id") OR OLD."signer_id" IS DISTINCT FROM (NEW."signer_id"))',
                    func='INSERT INTO "runs_signaturetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."meaning" IS DISTINCT FROM NEW."meaning" THEN jsonb_build_object(\'meaning\', jsonb_build_array(OLD."meaning", NEW."meaning")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signer_id" IS DISTINCT FROM NEW."signer_id" THEN jsonb_build_object(\'signer_id\', jsonb_build_array(OLD."signer_id", NEW."signer_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."printed_name" IS DISTINCT FROM NEW."printed_name" THEN jsonb_build_object(\'printed_name\', jsonb_build_array(OLD."printed_name", NEW."printed_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."proven_by" IS DISTINCT FROM NEW."proven_by" THEN jsonb_build_object(\'proven_by\', jsonb_build_array(OLD."proven_by", NEW."proven_by")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."digest" IS DISTINCT FROM NEW."digest" THEN jsonb_build_object(\'digest\', jsonb_build_array(OLD."digest", NEW."digest")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" THEN jsonb_build_object(\'revoked_at\', jsonb_build_array(to_char(OLD."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_by_id" IS DISTINCT FROM NEW."revoked_by_id" THEN jsonb_build_object(\'revoked_by_id\', jsonb_build_array(OLD."revoked_by_id", NEW."revoked_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revocation_reason" IS DISTINCT FROM NEW."revocation_reason" THEN jsonb_build_object(\'revocation_reason\', jsonb_build_array(OLD."revocation_reason", NEW."revocation_reason")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="1e34e7b7bef1116d84e13f4454e372a49896e862",
                    operation='UPDATE OF "meaning", "signer_id", "printed_name", "proven_by", "digest", "revoked_at", "revoked_by_id", "revocation_reason"',
                    pgid="pgtrigger_trail_update_ed474",
                    table="runs_signature",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="signature",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_signaturetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."run_id", CASE WHEN OLD."meaning" IS NOT NULL THEN jsonb_build_object(\'meaning\', jsonb_build_array(OLD."meaning", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signer_id" IS NOT NULL THEN jsonb_build_object(\'signer_id\', jsonb_build_array(OLD."signer_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."printed_name" IS NOT NULL THEN jsonb_build_object(\'printed_name\', jsonb_build_array(OLD."printed_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."proven_by" IS NOT NULL THEN jsonb_build_object(\'proven_by\', jsonb_build_array(OLD."proven_by", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."digest" IS NOT NULL THEN jsonb_build_object(\'digest\', jsonb_build_array(OLD."digest", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="63074774daa034c842565bcd3a252aafd68db35e",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_839c8",
                    table="runs_signature",
                    when="AFTER",
                ),
            ),
        ),
        AddConstraintNotValid(
            model_name="signature",
            constraint=models.CheckConstraint(
                condition=models.Q(("proven_by__in", ["password", "passkey", "sign_in"])),
                name="signature_proof_is_known",
            ),
        ),
    ]
