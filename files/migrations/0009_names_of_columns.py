import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    """`own` and `upload_id` are `caller_metadata` and `key_nonce` in Python; the columns keep their names and no row is touched."""

    dependencies = [
        ("files", "0008_files_in_natural_order"),
        ("runs", "0009_trail"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="file",
            name="trail_update",
        ),
        migrations.AlterField(
            model_name="file",
            name="own",
            field=models.JSONField(blank=True, db_column="own", default=dict),
        ),
        migrations.RenameField(
            model_name="file",
            old_name="own",
            new_name="caller_metadata",
        ),
        migrations.AlterField(
            model_name="file",
            name="upload_id",
            field=models.CharField(db_column="upload_id", editable=False, max_length=64, null=True),
        ),
        migrations.RenameField(
            model_name="file",
            old_name="upload_id",
            new_name="key_nonce",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."category" IS DISTINCT FROM (NEW."category") OR OLD."content_type" IS DISTINCT FROM (NEW."content_type") OR OLD."crc32" IS DISTINCT FROM (NEW."crc32") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."error_message" IS DISTINCT FROM (NEW."error_message") OR OLD."file_created_at" IS DISTINCT FROM (NEW."file_created_at") OR OLD."relative_path" IS DISTINCT FROM (NEW."relative_path") OR OLD."sha256" IS DISTINCT FROM (NEW."sha256") OR OLD."size_bytes" IS DISTINCT FROM (NEW."size_bytes") OR OLD."status" IS DISTINCT FROM (NEW."status"))',
                    func='INSERT INTO "files_filetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."relative_path" IS DISTINCT FROM NEW."relative_path" THEN jsonb_build_object(\'relative_path\', jsonb_build_array(OLD."relative_path", NEW."relative_path")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."category" IS DISTINCT FROM NEW."category" THEN jsonb_build_object(\'category\', jsonb_build_array(OLD."category", NEW."category")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."content_type" IS DISTINCT FROM NEW."content_type" THEN jsonb_build_object(\'content_type\', jsonb_build_array(OLD."content_type", NEW."content_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS DISTINCT FROM NEW."size_bytes" THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS DISTINCT FROM NEW."sha256" THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."crc32" IS DISTINCT FROM NEW."crc32" THEN jsonb_build_object(\'crc32\', jsonb_build_array(OLD."crc32", NEW."crc32")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."error_message" IS DISTINCT FROM NEW."error_message" THEN jsonb_build_object(\'error_message\', jsonb_build_array(OLD."error_message", NEW."error_message")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_created_at" IS DISTINCT FROM NEW."file_created_at" THEN jsonb_build_object(\'file_created_at\', jsonb_build_array(to_char(OLD."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="8a6f25186c3432fad45a95099eaea25a34534499",
                    operation='UPDATE OF "relative_path", "category", "status", "content_type", "size_bytes", "sha256", "crc32", "error_message", "file_created_at", "deleted_at", "own"',
                    pgid="pgtrigger_trail_update_bb191",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        migrations.SeparateDatabaseAndState(  # the same condition in SQL
            state_operations=[
                migrations.RemoveConstraint(
                    model_name="file",
                    name="file_own_is_an_object",
                ),
                migrations.AddConstraint(
                    model_name="file",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                models.Func(
                                    models.F("caller_metadata"),
                                    function="jsonb_typeof",
                                    output_field=models.TextField(),
                                ),
                                "object",
                            )
                        ),
                        name="file_own_is_an_object",
                    ),
                ),
            ],
        ),
    ]
