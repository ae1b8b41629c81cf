import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


class Migration(migrations.Migration):
    """What is stored becomes a sum of what triggers note. No file is counted here: a task does, range by range."""

    dependencies = [
        ("files", "0011_read_backs_and_the_position_of_the_sweep"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("id_range", models.IntegerField()),
                ("category", models.CharField(max_length=9)),
                ("objects_count", models.BigIntegerField()),
                ("size_bytes", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="StoredRange",
            fields=[
                ("number", models.IntegerField(primary_key=True, serialize=False)),
                ("counted_at", models.DateTimeField()),
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
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="count_new_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)\n    SELECT id / 1048576, category, SUM(step), COALESCE(SUM(step * size_bytes), 0) FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched\n     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL GROUP BY 1, 2\n    HAVING SUM(step) <> 0 OR COALESCE(SUM(step * size_bytes), 0) <> 0;\n    RETURN NULL;\n",
                    hash="fad019ad79d01e59702fa7b5b5ab35464e47d17f",
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
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)\n    SELECT id / 1048576, category, SUM(step), COALESCE(SUM(step * size_bytes), 0) FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched\n     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL GROUP BY 1, 2\n    HAVING SUM(step) <> 0 OR COALESCE(SUM(step * size_bytes), 0) <> 0;\n    RETURN NULL;\n",
                    hash="6d3e0eae858b1f6fd025a102e2b1b385747b4d3b",
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
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    INSERT INTO files_storedchange (id_range, category, objects_count, size_bytes)\n    SELECT id / 1048576, category, SUM(step), COALESCE(SUM(step * size_bytes), 0) FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched\n     WHERE uploaded_at IS NOT NULL AND deleted_at IS NULL GROUP BY 1, 2\n    HAVING SUM(step) <> 0 OR COALESCE(SUM(step * size_bytes), 0) <> 0;\n    RETURN NULL;\n",
                    hash="7edc02a64d53eb10ae5ffb8a19821124045cf48b",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_count_gone_files_fab1d",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
    ]
