"""The trail of files."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_trail"),
        ("files", "0005_quick_checks"),
        ("runs", "0009_trail"),
    ]

    operations = [
        migrations.CreateModel(
            name="FileTrail",
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
                "verbose_name": "file change",
                "verbose_name_plural": "file changes",
                "abstract": False,
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_insert",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='WITH said AS MATERIALIZED (SELECT public.trail_context() AS context) INSERT INTO "files_filetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'insert\', new_values."id", new_values."run_id", CASE WHEN new_values."relative_path" IS NOT NULL THEN jsonb_build_object(\'relative_path\', jsonb_build_array(NULL, new_values."relative_path")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."category" IS NOT NULL THEN jsonb_build_object(\'category\', jsonb_build_array(NULL, new_values."category")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(NULL, new_values."status")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."content_type" IS NOT NULL THEN jsonb_build_object(\'content_type\', jsonb_build_array(NULL, new_values."content_type")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."size_bytes" IS NOT NULL THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(NULL, new_values."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."sha256" IS NOT NULL THEN jsonb_build_object(\'sha256\', jsonb_build_array(NULL, new_values."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."crc32" IS NOT NULL THEN jsonb_build_object(\'crc32\', jsonb_build_array(NULL, new_values."crc32")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."error_message" IS NOT NULL THEN jsonb_build_object(\'error_message\', jsonb_build_array(NULL, new_values."error_message")) ELSE \'{}\'::jsonb END || CASE WHEN new_values."file_created_at" IS NOT NULL THEN jsonb_build_object(\'file_created_at\', jsonb_build_array(NULL, to_char(new_values."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN new_values."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(NULL, to_char(new_values."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN new_values."own" IS NOT NULL THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(\'{}\'::jsonb) AS old_key FULL JOIN jsonb_each(new_values."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, said.context FROM new_values CROSS JOIN said; RETURN NULL;',
                    hash="cfb7747eed59891cc3fb460ec17a24f7d93aa6ac",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_trail_insert_3961e",
                    referencing="REFERENCING NEW TABLE AS new_values ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."category" IS DISTINCT FROM (NEW."category") OR OLD."content_type" IS DISTINCT FROM (NEW."content_type") OR OLD."crc32" IS DISTINCT FROM (NEW."crc32") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."error_message" IS DISTINCT FROM (NEW."error_message") OR OLD."file_created_at" IS DISTINCT FROM (NEW."file_created_at") OR OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."relative_path" IS DISTINCT FROM (NEW."relative_path") OR OLD."sha256" IS DISTINCT FROM (NEW."sha256") OR OLD."size_bytes" IS DISTINCT FROM (NEW."size_bytes") OR OLD."status" IS DISTINCT FROM (NEW."status"))',
                    func='INSERT INTO "files_filetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."relative_path" IS DISTINCT FROM NEW."relative_path" THEN jsonb_build_object(\'relative_path\', jsonb_build_array(OLD."relative_path", NEW."relative_path")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."category" IS DISTINCT FROM NEW."category" THEN jsonb_build_object(\'category\', jsonb_build_array(OLD."category", NEW."category")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."content_type" IS DISTINCT FROM NEW."content_type" THEN jsonb_build_object(\'content_type\', jsonb_build_array(OLD."content_type", NEW."content_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS DISTINCT FROM NEW."size_bytes" THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS DISTINCT FROM NEW."sha256" THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."crc32" IS DISTINCT FROM NEW."crc32" THEN jsonb_build_object(\'crc32\', jsonb_build_array(OLD."crc32", NEW."crc32")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."error_message" IS DISTINCT FROM NEW."error_message" THEN jsonb_build_object(\'error_message\', jsonb_build_array(OLD."error_message", NEW."error_message")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_created_at" IS DISTINCT FROM NEW."file_created_at" THEN jsonb_build_object(\'file_created_at\', jsonb_build_array(to_char(OLD."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="a69c8a80c5dd99c58d20c595e6b8ec3242a7270f",
                    operation='UPDATE OF "relative_path", "category", "status", "content_type", "size_bytes", "sha256", "crc32", "error_message", "file_created_at", "deleted_at", "own"',
                    pgid="pgtrigger_trail_update_bb191",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func='WITH said AS MATERIALIZED (SELECT public.trail_context() AS context) INSERT INTO "files_filetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'delete\', old_values."id", old_values."run_id", CASE WHEN old_values."relative_path" IS NOT NULL THEN jsonb_build_object(\'relative_path\', jsonb_build_array(old_values."relative_path", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."category" IS NOT NULL THEN jsonb_build_object(\'category\', jsonb_build_array(old_values."category", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."status" IS NOT NULL THEN jsonb_build_object(\'status\', jsonb_build_array(old_values."status", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."content_type" IS NOT NULL THEN jsonb_build_object(\'content_type\', jsonb_build_array(old_values."content_type", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."size_bytes" IS NOT NULL THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(old_values."size_bytes", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."sha256" IS NOT NULL THEN jsonb_build_object(\'sha256\', jsonb_build_array(old_values."sha256", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."crc32" IS NOT NULL THEN jsonb_build_object(\'crc32\', jsonb_build_array(old_values."crc32", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."error_message" IS NOT NULL THEN jsonb_build_object(\'error_message\', jsonb_build_array(old_values."error_message", NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."file_created_at" IS NOT NULL THEN jsonb_build_object(\'file_created_at\', jsonb_build_array(to_char(old_values."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."deleted_at" IS NOT NULL THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(old_values."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), NULL)) ELSE \'{}\'::jsonb END || CASE WHEN old_values."own" IS NOT NULL THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(old_values."own") AS old_key FULL JOIN jsonb_each(\'{}\'::jsonb) AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, said.context FROM old_values CROSS JOIN said; RETURN NULL;',
                    hash="07ad3e46f877a52192a50027848a8dd4dc15d746",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_trail_delete_b4fa8",
                    referencing="REFERENCING OLD TABLE AS old_values ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddField(
            model_name="filetrail",
            name="pgh_obj",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="files.file",
            ),
        ),
        migrations.AddField(
            model_name="filetrail",
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
            model_name="filetrail",
            index=models.Index(fields=["run", "-pgh_id"], name="trail_of_file"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="filetrail",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="8fba3ca28ee1767420182dc303f78796933c460b",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_30cbb",
                    table="files_filetrail",
                    when="BEFORE",
                ),
            ),
        ),
    ]
