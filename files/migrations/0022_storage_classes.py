"""Cold files, and who asked for them back."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_trail_detachments"),
        ("files", "0021_files_by_shared_key"),
        ("runs", "0022_share_links"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Recall",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("requested_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("ended_at", models.DateTimeField(editable=False, null=True)),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("error_message", models.TextField(blank=True, null=True)),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="file",
            name="trail_update",
        ),
        migrations.AddField(
            model_name="file",
            name="hot_until",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="file",
            name="restore_requested_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="file",
            name="storage_class",
            field=models.CharField(
                choices=[("hot", "Hot"), ("cold", "Cold")],
                db_default="hot",
                default="hot",
                editable=False,
                max_length=4,
            ),
        ),
        migrations.AddField(
            model_name="objectremoval",
            name="due_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."category" IS DISTINCT FROM (NEW."category") OR OLD."content_type" IS DISTINCT FROM (NEW."content_type") OR OLD."crc32" IS DISTINCT FROM (NEW."crc32") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."error_message" IS DISTINCT FROM (NEW."error_message") OR OLD."file_created_at" IS DISTINCT FROM (NEW."file_created_at") OR OLD."purged_at" IS DISTINCT FROM (NEW."purged_at") OR OLD."purged_by_rule" IS DISTINCT FROM (NEW."purged_by_rule") OR OLD."relative_path" IS DISTINCT FROM (NEW."relative_path") OR OLD."restore_requested_at" IS DISTINCT FROM (NEW."restore_requested_at") OR OLD."sha256" IS DISTINCT FROM (NEW."sha256") OR OLD."size_bytes" IS DISTINCT FROM (NEW."size_bytes") OR OLD."status" IS DISTINCT FROM (NEW."status") OR OLD."storage_class" IS DISTINCT FROM (NEW."storage_class"))',
                    func='INSERT INTO "files_filetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."relative_path" IS DISTINCT FROM NEW."relative_path" THEN jsonb_build_object(\'relative_path\', jsonb_build_array(OLD."relative_path", NEW."relative_path")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."category" IS DISTINCT FROM NEW."category" THEN jsonb_build_object(\'category\', jsonb_build_array(OLD."category", NEW."category")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."content_type" IS DISTINCT FROM NEW."content_type" THEN jsonb_build_object(\'content_type\', jsonb_build_array(OLD."content_type", NEW."content_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS DISTINCT FROM NEW."size_bytes" THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS DISTINCT FROM NEW."sha256" THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."crc32" IS DISTINCT FROM NEW."crc32" THEN jsonb_build_object(\'crc32\', jsonb_build_array(OLD."crc32", NEW."crc32")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."error_message" IS DISTINCT FROM NEW."error_message" THEN jsonb_build_object(\'error_message\', jsonb_build_array(OLD."error_message", NEW."error_message")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_created_at" IS DISTINCT FROM NEW."file_created_at" THEN jsonb_build_object(\'file_created_at\', jsonb_build_array(to_char(OLD."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."purged_at" IS DISTINCT FROM NEW."purged_at" THEN jsonb_build_object(\'purged_at\', jsonb_build_array(to_char(OLD."purged_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."purged_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."purged_by_rule" IS DISTINCT FROM NEW."purged_by_rule" THEN jsonb_build_object(\'purged_by_rule\', jsonb_build_array(OLD."purged_by_rule", NEW."purged_by_rule")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."storage_class" IS DISTINCT FROM NEW."storage_class" THEN jsonb_build_object(\'storage_class\', jsonb_build_array(OLD."storage_class", NEW."storage_class")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."restore_requested_at" IS DISTINCT FROM NEW."restore_requested_at" THEN jsonb_build_object(\'restore_requested_at\', jsonb_build_array(to_char(OLD."restore_requested_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."restore_requested_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="452f4486090e4f430213f324ce666aad5318bf6a",
                    operation='UPDATE OF "relative_path", "category", "status", "content_type", "size_bytes", "sha256", "crc32", "error_message", "file_created_at", "deleted_at", "purged_at", "purged_by_rule", "storage_class", "restore_requested_at", "own"',
                    pgid="pgtrigger_trail_update_bb191",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="recall",
            name="file",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="files.file",
            ),
        ),
        migrations.AddField(
            model_name="recall",
            name="requested_by",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="recall",
            name="requested_by_token",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="accounts.token",
            ),
        ),
        migrations.AddField(
            model_name="recall",
            name="run",
            field=models.ForeignKey(
                db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name="recalls", to="runs.run"
            ),
        ),
        migrations.AddIndex(
            model_name="recall",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", True)), fields=["requested_at"], name="recalls_under_way"
            ),
        ),
        migrations.AddIndex(
            model_name="recall",
            index=models.Index(fields=["run"], name="recalls_of_run"),
        ),
        migrations.AddConstraint(
            model_name="recall",
            constraint=models.UniqueConstraint(
                condition=models.Q(("ended_at__isnull", True)),
                fields=("run", "file", "requested_by", "requested_by_token"),
                name="one_open_recall_per_requester",
                nulls_distinct=False,
            ),
        ),
        migrations.AddConstraint(
            model_name="recall",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("requested_by__isnull", False), ("requested_by_token__isnull", True)),
                    models.Q(("requested_by__isnull", True), ("requested_by_token__isnull", False)),
                    _connector="OR",
                ),
                name="recall_has_one_requester",
            ),
        ),
    ]
