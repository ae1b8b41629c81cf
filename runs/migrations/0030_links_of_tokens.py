"""Links for outsiders are made and ended by tokens, too, under their own names."""

# online: links are few, and what the release before writes of them stays possible

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0014_scope_to_share"),
        ("runs", "0029_texts_behind_other_characters"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="sharelink",
            name="trail_insert",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="sharelink",
            name="trail_update",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="sharelink",
            name="trail_delete",
        ),
        migrations.RemoveConstraint(
            model_name="sharelink",
            name="share_link_is_revoked_by_somebody",
        ),
        migrations.AddField(
            model_name="sharelink",
            name="made_by_token",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.token",
            ),
        ),
        migrations.AddField(
            model_name="sharelink",
            name="revoked_by_token",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.token",
            ),
        ),
        migrations.AlterField(
            model_name="sharelink",
            name="made_by",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sharelink",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_sharelinktrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', NEW."id", NEW."run_id", CASE WHEN NEW."made_by_id" IS NOT NULL THEN jsonb_build_object(\'made_by_id\', jsonb_build_array(NULL, NEW."made_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."made_by_token_id" IS NOT NULL THEN jsonb_build_object(\'made_by_token_id\', jsonb_build_array(NULL, NEW."made_by_token_id")) ELSE \'{}\'::jsonb END || CASE WHEN NEW."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(NULL, to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="2bdff7e69eb294d5981f7c4b9111e90b4757ae91",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_3d3a8",
                    table="runs_sharelink",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sharelink",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."made_by_id" IS DISTINCT FROM (NEW."made_by_id") OR OLD."made_by_token_id" IS DISTINCT FROM (NEW."made_by_token_id") OR OLD."revoked_at" IS DISTINCT FROM (NEW."revoked_at") OR OLD."revoked_by_id" IS DISTINCT FROM (NEW."revoked_by_id") OR OLD."revoked_by_token_id" IS DISTINCT FROM (NEW."revoked_by_token_id"))',
                    func='INSERT INTO "runs_sharelinktrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."made_by_id" IS DISTINCT FROM NEW."made_by_id" THEN jsonb_build_object(\'made_by_id\', jsonb_build_array(OLD."made_by_id", NEW."made_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."made_by_token_id" IS DISTINCT FROM NEW."made_by_token_id" THEN jsonb_build_object(\'made_by_token_id\', jsonb_build_array(OLD."made_by_token_id", NEW."made_by_token_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS DISTINCT FROM NEW."expires_at" THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_at" IS DISTINCT FROM NEW."revoked_at" THEN jsonb_build_object(\'revoked_at\', jsonb_build_array(to_char(OLD."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."revoked_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_by_id" IS DISTINCT FROM NEW."revoked_by_id" THEN jsonb_build_object(\'revoked_by_id\', jsonb_build_array(OLD."revoked_by_id", NEW."revoked_by_id")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."revoked_by_token_id" IS DISTINCT FROM NEW."revoked_by_token_id" THEN jsonb_build_object(\'revoked_by_token_id\', jsonb_build_array(OLD."revoked_by_token_id", NEW."revoked_by_token_id")) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="0ded08b6645c2e105874b72ed042cd4ce4ac8452",
                    operation='UPDATE OF "made_by_id", "made_by_token_id", "expires_at", "revoked_at", "revoked_by_id", "revoked_by_token_id"',
                    pgid="pgtrigger_trail_update_6bf2c",
                    table="runs_sharelink",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="sharelink",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='INSERT INTO "runs_sharelinktrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', OLD."id", OLD."run_id", CASE WHEN OLD."made_by_id" IS NOT NULL THEN jsonb_build_object(\'made_by_id\', jsonb_build_array(OLD."made_by_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."made_by_token_id" IS NOT NULL THEN jsonb_build_object(\'made_by_token_id\', jsonb_build_array(OLD."made_by_token_id", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN OLD."expires_at" IS NOT NULL THEN jsonb_build_object(\'expires_at\', jsonb_build_array(to_char(OLD."expires_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="878aefe7b052b3b81ebbdb42dc67ec831e4e64ae",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_09b73",
                    table="runs_sharelink",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("made_by__isnull", False), ("made_by_token__isnull", True)),
                    models.Q(("made_by__isnull", True), ("made_by_token__isnull", False)),
                    _connector="OR",
                ),
                name="share_link_has_one_maker",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("revoked_at__isnull", True), ("revoked_by__isnull", True), ("revoked_by_token__isnull", True)
                    ),
                    models.Q(
                        ("revoked_at__isnull", False),
                        models.Q(
                            models.Q(("revoked_by__isnull", False), ("revoked_by_token__isnull", True)),
                            models.Q(("revoked_by__isnull", True), ("revoked_by_token__isnull", False)),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="share_link_is_revoked_by_one",
            ),
        ),
    ]
