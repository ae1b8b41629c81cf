"""Signatures: what binds a person to a run, and freezes it."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import wire.clock
import wire.ids


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0020_deleted_runs_of_instrument"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Signature",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                (
                    "meaning",
                    models.CharField(
                        choices=[("authored", "Authored"), ("reviewed", "Reviewed"), ("approved", "Approved")],
                        max_length=8,
                    ),
                ),
                ("printed_name", models.CharField(max_length=255)),
                ("signed_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("digest", models.CharField(max_length=64)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("revocation_reason", models.CharField(blank=True, max_length=1000, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="SignatureTrail",
            fields=[
                (
                    "pgh_id",
                    models.BigIntegerField(
                        db_default=models.Func(models.Value("public.accounts_trail_ids"), function="nextval"),
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("pgh_created_at", models.DateTimeField()),
                ("pgh_label", models.CharField(max_length=6)),
                ("changes", models.JSONField()),
                ("pgh_context", models.JSONField()),
            ],
            options={
                "verbose_name": "signature change",
                "verbose_name_plural": "signature changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="run",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_signed_runs",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN ((OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) OR (OLD.instrument_id, OLD.run_id, OLD.own, OLD.acquired_at) IS DISTINCT FROM (NEW.instrument_id, NEW.run_id, NEW.own, NEW.acquired_at))",
                    func="\n    IF EXISTS (SELECT 1 FROM runs_signature WHERE run_id = OLD.id AND revoked_at IS NULL) THEN\n        RAISE EXCEPTION 'the run is signed' USING ERRCODE = 'check_violation', CONSTRAINT = 'signed_runs_stay';\n    END IF;\n    RETURN NEW;\n",
                    hash="2d8b43ca48c36f21d453a84066de7ad333d042ba",
                    operation='UPDATE OF "instrument_id", "run_id", "own", "acquired_at", "deleted_at"',
                    pgid="pgtrigger_keep_signed_runs_2fee8",
                    table="runs_run",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddField(
            model_name="signature",
            name="revoked_by",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="signature",
            name="run",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="signatures", to="runs.run"
            ),
        ),
        migrations.AddField(
            model_name="signature",
            name="signer",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="signaturetrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.signature",
            ),
        ),
        migrations.AddField(
            model_name="signaturetrail",
            name="run",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="runs.run",
            ),
        ),
        migrations.AddIndex(
            model_name="signature",
            index=models.Index(fields=["run", "signed_at"], name="signatures_of_run"),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.UniqueConstraint(
                condition=models.Q(("revoked_at__isnull", True)),
                fields=("run", "signer", "meaning"),
                name="one_signature_per_run_person_and_meaning",
            ),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.CheckConstraint(
                condition=models.Q(("meaning__in", ["authored", "reviewed", "approved"])),
                name="signature_meaning_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 64),
                    models.Q(("digest__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="signature_digest_is_hex",
            ),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Range(django.db.models.functions.text.Length("printed_name"), (1, 255))
                ),
                name="signature_has_a_printed_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="signature",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("revocation_reason__isnull", True), ("revoked_at__isnull", True), ("revoked_by__isnull", True)
                    ),
                    models.Q(
                        ("revocation_reason__isnull", False),
                        ("revoked_at__isnull", False),
                        ("revoked_by__isnull", False),
                        django.db.models.lookups.Range(
                            django.db.models.functions.text.Length("revocation_reason"), (1, 1000)
                        ),
                    ),
                    _connector="OR",
                ),
                name="signature_is_revoked_with_a_reason",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="signature",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    IF TG_OP = 'DELETE' OR OLD.revoked_at IS NOT NULL\n       OR to_jsonb(OLD) - ARRAY['revoked_at', 'revoked_by_id', 'revocation_reason']\n          IS DISTINCT FROM to_jsonb(NEW) - ARRAY['revoked_at', 'revoked_by_id', 'revocation_reason'] THEN\n        RAISE EXCEPTION 'a signature stays as it is' USING ERRCODE = 'check_violation', CONSTRAINT = 'signatures_stay';\n    END IF;\n    RETURN NEW;\n",
                    hash="0a994c3e7779d484cef9f93815ce380714f1515f",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_10b2d",
                    table="runs_signature",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="signature",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_signaturetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."run_id", CASE WHEN NEW."meaning" IS NOT NULL THEN jsonb_build_object(\'meaning\', jsonb_build_array(NULL, NEW."meaning")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."signer_id" IS NOT NULL THEN jsonb_build_object(\'signer_id\', jsonb_build_array(NULL, NEW."signer_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."printed_name" IS NOT NULL THEN jsonb_build_object(\'printed_name\', jsonb_build_array(NULL, NEW."printed_name")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."digest" IS NOT NULL THEN jsonb_build_object(\'digest\', jsonb_build_array(NULL, NEW."digest")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="a6d04d2d6412894ac85f6d61909e5ddb207b14f4",
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
                    condition='WHEN (OLD."digest" IS DISTINCT FROM (NEW."digest") OR OLD."meaning" IS DISTINCT FROM (NEW."meaning") OR OLD."printed_name" IS DISTINCT FROM (NEW."printed_name") OR OLD."revocation_reason" IS DISTINCT FROM (NEW."revocation_reason") OR OLD."revoked_at" IS DISTINCT FROM (NEW."revoked_at") OR OLD."revoked_by_id" IS DISTINCT FROM (NEW."revoked_by_id") OR OLD."signer_id" IS DISTINCT FROM (NEW."signer_id"))',
                    func='INSERT INTO "runs_signaturetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."meaning" IS DISTINCT FROM NEW."meaning" THEN jsonb_build_object(\'meaning\', jsonb_build_array(OLD."meaning", NEW."meaning")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signer_id" IS DISTINCT FROM NEW."signer_id" THEN jsonb_build_object(\'signer_id\', jsonb_build_array(OLD."signer_id", NEW."signer_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."printed_name" IS DISTINCT FROM NEW."printed_name" THEN jsonb_build_object(\'printed_name\', jsonb_build_array(OLD."printed_name", NEW."printed_name")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."digest" IS DISTINCT FROM NEW."digest" THEN jsonb_build_object(\'digest\', jsonb_build_array(OLD."digest", NEW."digest")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" THEN jsonb_build_object(\'revoked_at\', jsonb_build_array(to_char(OLD."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_by_id" IS DISTINCT FROM NEW."revoked_by_id" THEN jsonb_build_object(\'revoked_by_id\', jsonb_build_array(OLD."revoked_by_id", NEW."revoked_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revocation_reason" IS DISTINCT FROM NEW."revocation_reason" THEN jsonb_build_object(\'revocation_reason\', jsonb_build_array(OLD."revocation_reason", NEW."revocation_reason")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="2bfcb7a991d66264deac4265048a96664c0a6565",
                    operation='UPDATE OF "meaning", "signer_id", "printed_name", "digest", "revoked_at", "revoked_by_id", "revocation_reason"',
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
                    func='INSERT INTO "runs_signaturetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."run_id", CASE WHEN OLD."meaning" IS NOT NULL THEN jsonb_build_object(\'meaning\', jsonb_build_array(OLD."meaning", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."signer_id" IS NOT NULL THEN jsonb_build_object(\'signer_id\', jsonb_build_array(OLD."signer_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."printed_name" IS NOT NULL THEN jsonb_build_object(\'printed_name\', jsonb_build_array(OLD."printed_name", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."digest" IS NOT NULL THEN jsonb_build_object(\'digest\', jsonb_build_array(OLD."digest", NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="cce5e278eefc45f2abea75b8808aa2bcf954ccc7",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_839c8",
                    table="runs_signature",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="signaturetrail",
            index=models.Index(fields=["run", "-pgh_id"], name="trail_of_signature"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="signaturetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="2f2273e0560170a0742265ede16d5556fa8f2725",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_60443",
                    table="runs_signaturetrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
