"""Files whose bytes are gone by a rule of retention, and the objects that are still to be removed."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    dependencies = [
        ("files", "0014_expression_of_metadata"),
        ("runs", "0018_project_visibility"),
    ]

    operations = [
        migrations.CreateModel(
            name="ObjectRemoval",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("storage_key", models.TextField()),
                ("size_bytes", models.BigIntegerField()),
                ("decided_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="file",
            name="count_new_files",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="file",
            name="count_changed_files",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="file",
            name="count_gone_files",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="file",
            name="trail_update",
        ),
        migrations.AddField(
            model_name="file",
            name="purged_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="file",
            name="purged_by_rule",
            field=models.CharField(editable=False, max_length=32, null=True),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_held_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL)",
                    func="\n    IF EXISTS (SELECT 1 FROM runs_run AS run JOIN runs_hold AS hold\n                   ON hold.run_id = run.id OR hold.project_id = run.project_id WHERE run.id = NEW.run_id) THEN\n        RAISE EXCEPTION 'the run is on hold' USING ERRCODE = 'check_violation', CONSTRAINT = 'held_files_stay';\n    END IF;\n    RETURN NEW;\n",
                    hash="6fdd219c96e2a9119c0959cad33633739102e8a4",
                    operation='UPDATE OF "purged_at"',
                    pgid="pgtrigger_keep_held_files_68469",
                    table="files_file",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="count_new_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted AND purged_at IS NULL), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status, purged_at,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)\n    SELECT id / 1048576, category, SUM(step), COALESCE(SUM(step * size_bytes), 0) FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched\n     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL AND purged_at IS NULL GROUP BY 1, 2\n    HAVING SUM(step) <> 0 OR COALESCE(SUM(step * size_bytes), 0) <> 0;\n    RETURN NULL;\n",
                    hash="de99127c3ff8155cf071bb607b0cede769617aab",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_count_new_files_0ed37",
                    referencing="REFERENCING NEW TABLE AS new_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="count_changed_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted AND purged_at IS NULL), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status, purged_at,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)\n    SELECT id / 1048576, category, SUM(step), COALESCE(SUM(step * size_bytes), 0) FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched\n     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL AND purged_at IS NULL GROUP BY 1, 2\n    HAVING SUM(step) <> 0 OR COALESCE(SUM(step * size_bytes), 0) <> 0;\n    RETURN NULL;\n",
                    hash="ab58d8fd9e9f939f9eba95b61b2e274610f71cb8",
                    level="STATEMENT",
                    operation="UPDATE",
                    pgid="pgtrigger_count_changed_files_1d54a",
                    referencing="REFERENCING OLD TABLE AS old_rows  NEW TABLE AS new_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="count_gone_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted AND purged_at IS NULL), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status, purged_at,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)\n    SELECT id / 1048576, category, SUM(step), COALESCE(SUM(step * size_bytes), 0) FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched\n     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL AND purged_at IS NULL GROUP BY 1, 2\n    HAVING SUM(step) <> 0 OR COALESCE(SUM(step * size_bytes), 0) <> 0;\n    RETURN NULL;\n",
                    hash="5c038940057247d9ee18fcbb5fa4ad2ce6d89e74",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_count_gone_files_fab1d",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="record_purged_file",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.purged_at IS NULL AND NEW.purged_at IS NOT NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'file.purged', run.instrument_id, run.run_id, NEW.id, NULL, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="9fd3a342d6ef11efda223205be8859d24efffc5c",
                    operation='UPDATE OF "purged_at"',
                    pgid="pgtrigger_record_purged_file_1bb19",
                    table="files_file",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="trail_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."own" IS DISTINCT FROM (NEW."own") OR OLD."category" IS DISTINCT FROM (NEW."category") OR OLD."content_type" IS DISTINCT FROM (NEW."content_type") OR OLD."crc32" IS DISTINCT FROM (NEW."crc32") OR OLD."deleted_at" IS DISTINCT FROM (NEW."deleted_at") OR OLD."error_message" IS DISTINCT FROM (NEW."error_message") OR OLD."file_created_at" IS DISTINCT FROM (NEW."file_created_at") OR OLD."purged_at" IS DISTINCT FROM (NEW."purged_at") OR OLD."purged_by_rule" IS DISTINCT FROM (NEW."purged_by_rule") OR OLD."relative_path" IS DISTINCT FROM (NEW."relative_path") OR OLD."sha256" IS DISTINCT FROM (NEW."sha256") OR OLD."size_bytes" IS DISTINCT FROM (NEW."size_bytes") OR OLD."status" IS DISTINCT FROM (NEW."status"))',
                    func='INSERT INTO "files_filetrail" (pgh_created_at, pgh_label, pgh_obj_id, "run_id", changes, pgh_context) SELECT clock_timestamp(), \'update\', NEW."id", NEW."run_id", CASE WHEN OLD."relative_path" IS DISTINCT FROM NEW."relative_path" THEN jsonb_build_object(\'relative_path\', jsonb_build_array(OLD."relative_path", NEW."relative_path")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."category" IS DISTINCT FROM NEW."category" THEN jsonb_build_object(\'category\', jsonb_build_array(OLD."category", NEW."category")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."status" IS DISTINCT FROM NEW."status" THEN jsonb_build_object(\'status\', jsonb_build_array(OLD."status", NEW."status")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."content_type" IS DISTINCT FROM NEW."content_type" THEN jsonb_build_object(\'content_type\', jsonb_build_array(OLD."content_type", NEW."content_type")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."size_bytes" IS DISTINCT FROM NEW."size_bytes" THEN jsonb_build_object(\'size_bytes\', jsonb_build_array(OLD."size_bytes", NEW."size_bytes")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."sha256" IS DISTINCT FROM NEW."sha256" THEN jsonb_build_object(\'sha256\', jsonb_build_array(OLD."sha256", NEW."sha256")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."crc32" IS DISTINCT FROM NEW."crc32" THEN jsonb_build_object(\'crc32\', jsonb_build_array(OLD."crc32", NEW."crc32")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."error_message" IS DISTINCT FROM NEW."error_message" THEN jsonb_build_object(\'error_message\', jsonb_build_array(OLD."error_message", NEW."error_message")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."file_created_at" IS DISTINCT FROM NEW."file_created_at" THEN jsonb_build_object(\'file_created_at\', jsonb_build_array(to_char(OLD."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."file_created_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."deleted_at" IS DISTINCT FROM NEW."deleted_at" THEN jsonb_build_object(\'deleted_at\', jsonb_build_array(to_char(OLD."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."deleted_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."purged_at" IS DISTINCT FROM NEW."purged_at" THEN jsonb_build_object(\'purged_at\', jsonb_build_array(to_char(OLD."purged_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'), to_char(NEW."purged_at" AT TIME ZONE \'UTC\', \'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\'))) ELSE \'{}\'::jsonb END || CASE WHEN OLD."purged_by_rule" IS DISTINCT FROM NEW."purged_by_rule" THEN jsonb_build_object(\'purged_by_rule\', jsonb_build_array(OLD."purged_by_rule", NEW."purged_by_rule")) ELSE \'{}\'::jsonb END || CASE WHEN OLD."own" IS DISTINCT FROM NEW."own" THEN ( SELECT COALESCE(jsonb_object_agg(\'metadata.\' || COALESCE(old_key.key, new_key.key), jsonb_build_array(old_key.value, new_key.value)), \'{}\') FROM jsonb_each(OLD."own") AS old_key FULL JOIN jsonb_each(NEW."own") AS new_key ON old_key.key = new_key.key WHERE old_key.value IS DISTINCT FROM new_key.value) ELSE \'{}\'::jsonb END, public.trail_context(); RETURN NULL;',
                    hash="78e4481104925b304962ef304b0e2b716f7e066d",
                    operation='UPDATE OF "relative_path", "category", "status", "content_type", "size_bytes", "sha256", "crc32", "error_message", "file_created_at", "deleted_at", "purged_at", "purged_by_rule", "own"',
                    pgid="pgtrigger_trail_update_bb191",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="objectremoval",
            constraint=models.UniqueConstraint(fields=("storage_key",), name="one_removal_per_object"),
        ),
        migrations.AddConstraint(
            model_name="objectremoval",
            constraint=models.CheckConstraint(
                condition=models.Q(("size_bytes__gte", 0)), name="removal_frees_no_less_than_nothing"
            ),
        ),
    ]
