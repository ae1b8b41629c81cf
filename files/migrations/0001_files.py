import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("runs", "0003_storage"),
    ]

    operations = [
        migrations.CreateModel(
            name="File",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("filename", models.CharField(db_collation="C", max_length=255)),
                ("relative_path", models.CharField(db_collation="C", max_length=1024)),
                ("natural_key", models.TextField(db_collation="C", editable=False)),
                (
                    "report_kind",
                    models.CharField(
                        blank=True,
                        choices=[("", "None"), ("image", "Image"), ("pdf", "Pdf"), ("spectrum", "Spectrum")],
                        db_collation="C",
                        default="",
                        max_length=8,
                    ),
                ),
                (
                    "category",
                    models.CharField(choices=[("raw", "Raw"), ("processed", "Processed")], default="raw", max_length=9),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("detected", "Detected"),
                            ("upload_requested", "Upload Requested"),
                            ("uploaded", "Uploaded"),
                            ("processing", "Processing"),
                            ("completed", "Completed"),
                            ("failed", "Failed"),
                        ],
                        default="detected",
                        max_length=16,
                    ),
                ),
                ("content_type", models.CharField(blank=True, max_length=255, null=True)),
                ("size_bytes", models.BigIntegerField(blank=True, null=True)),
                ("sha256", models.CharField(blank=True, max_length=64, null=True)),
                ("crc32", models.CharField(blank=True, max_length=8, null=True)),
                ("storage_bucket", models.CharField(editable=False, max_length=255, null=True)),
                ("storage_key", models.TextField(editable=False, null=True)),
                ("upload_id", models.CharField(editable=False, max_length=64, null=True)),
                ("multipart_upload_id", models.TextField(editable=False, null=True)),
                ("part_size", models.BigIntegerField(editable=False, null=True)),
                ("own", models.JSONField(blank=True, default=dict)),
                ("extracted", models.JSONField(blank=True, default=dict)),
                (
                    "metadata",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            models.F("extracted"), "||", models.F("own"), output_field=models.JSONField()
                        ),
                        output_field=models.JSONField(),
                    ),
                ),
                ("error_message", models.TextField(blank=True, null=True)),
                ("detected_at", models.DateTimeField(default=wire.clock.now)),
                ("upload_requested_at", models.DateTimeField(blank=True, null=True)),
                ("uploaded_at", models.DateTimeField(blank=True, null=True)),
                ("processing_since", models.DateTimeField(blank=True, null=True)),
                ("processed_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("file_created_at", models.DateTimeField(blank=True, null=True)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="files", to="runs.run"
                    ),
                ),
                (
                    "source_file",
                    models.ForeignKey(
                        blank=True,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="artefacts",
                        to="files.file",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="UploadPart",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("upload_id", models.TextField()),
                ("part_number", models.IntegerField()),
                ("crc32", models.CharField(max_length=8)),
                (
                    "file",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="upload_parts",
                        to="files.file",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="file",
            index=models.Index(
                condition=models.Q(
                    ("deleted_at__isnull", True),
                    ("uploaded_at__isnull", False),
                    models.Q(("report_kind", ""), _negated=True),
                ),
                fields=["run", "report_kind", "natural_key", "id"],
                name="report_items_in_natural_order",
            ),
        ),
        migrations.AddIndex(
            model_name="file",
            index=models.Index(
                condition=models.Q(("processing_since__isnull", False)),
                fields=["run", "processing_since"],
                name="processing_files",
            ),
        ),
        migrations.AddIndex(
            model_name="file",
            index=models.Index(
                condition=models.Q(
                    ("deleted_at__isnull", True), ("upload_requested_at__isnull", False), ("uploaded_at__isnull", True)
                ),
                fields=["upload_requested_at", "id"],
                name="requested_uploads_by_age",
            ),
        ),
        migrations.AddIndex(
            model_name="file",
            index=models.Index(
                condition=models.Q(("source_file__isnull", False)), fields=["source_file"], name="artefacts_of_file"
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.UniqueConstraint(
                fields=("run", "category", "relative_path"), name="one_file_per_run_category_and_path"
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(("category__in", ["raw", "processed"])), name="file_category_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("status__in", ["detected", "upload_requested", "uploaded", "processing", "completed", "failed"])
                ),
                name="file_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(("report_kind__in", ["", "image", "pdf", "spectrum"])),
                name="file_report_kind_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("filename", ""), _negated=True),
                    django.db.models.lookups.LessThanOrEqual(
                        models.Func(models.F("filename"), function="octet_length", output_field=models.IntegerField()),
                        255,
                    ),
                    ("filename__regex", "^[^/\\\\]*$"),
                ),
                name="file_name_is_a_path_segment",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.LessThanOrEqual(
                        models.Func(
                            models.F("relative_path"), function="octet_length", output_field=models.IntegerField()
                        ),
                        1024,
                    ),
                    models.Q(
                        ("relative_path", models.F("filename")),
                        django.db.models.lookups.Exact(
                            django.db.models.functions.text.Right(
                                "relative_path",
                                django.db.models.expressions.CombinedExpression(
                                    django.db.models.functions.text.Length("filename"), "+", models.Value(1)
                                ),
                            ),
                            django.db.models.functions.text.Concat(models.Value("/"), "filename"),
                        ),
                        _connector="OR",
                    ),
                ),
                name="file_path_ends_in_its_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(("size_bytes__gte", 0)), name="file_size_is_not_negative"
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(("sha256__regex", "^[0-9a-f]{64}$")), name="file_sha256_is_hex"
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(("crc32__regex", "^[0-9a-f]{8}$")), name="file_crc32_is_hex"
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(
                        models.Func(models.F("own"), function="jsonb_typeof", output_field=models.TextField()), "object"
                    )
                ),
                name="file_own_is_an_object",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(
                        models.Func(models.F("extracted"), function="jsonb_typeof", output_field=models.TextField()),
                        "object",
                    )
                ),
                name="file_extracted_is_an_object",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ("detected", "upload_requested")), ("uploaded_at__isnull", True)),
                    models.Q(
                        models.Q(("status__in", ("detected", "upload_requested")), _negated=True),
                        ("size_bytes__isnull", False),
                        ("storage_bucket__isnull", False),
                        ("storage_key__isnull", False),
                        ("uploaded_at__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="file_is_stored_or_waits",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "upload_requested"), _negated=True),
                    ("upload_requested_at__isnull", False),
                    _connector="OR",
                ),
                name="file_upload_request_has_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("processing_since__isnull", False), ("status", "processing")),
                    models.Q(models.Q(("status", "processing"), _negated=True), ("processing_since__isnull", True)),
                    _connector="OR",
                ),
                name="file_processing_has_a_beginning",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "completed"), _negated=True), ("processed_at__isnull", False), _connector="OR"
                ),
                name="file_completion_has_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("deleted_at__isnull", True),
                    ("uploaded_at__isnull", True),
                    ("category", "processed"),
                    _connector="OR",
                ),
                name="stored_raw_file_is_not_dismissed",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="count_new_files",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    RETURN NULL;\n",
                    hash="44b0478079ece85326cb6fc46771e3d4b248ebe5",
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
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT -1 AS step, old_rows.* FROM old_rows UNION ALL SELECT 1 AS step, new_rows.* FROM new_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    RETURN NULL;\n",
                    hash="2aedc15497dcf940195341d94c578246a319662b",
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
                    func="\n    PERFORM 1 FROM runs_run WHERE id IN (SELECT run_id FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) ORDER BY id FOR NO KEY UPDATE;\n    UPDATE runs_run AS run SET\n        file_count = run.file_count + change.files,\n        total_size_bytes = run.total_size_bytes + change.bytes,\n        n_failed = run.n_failed + change.failed,\n        n_pending = run.n_pending + change.pending,\n        n_uploaded = run.n_uploaded + change.uploaded,\n        n_processing = run.n_processing + change.processing,\n        n_completed = run.n_completed + change.completed,\n        processing_since = CASE WHEN change.stirs_processing\n            THEN (SELECT MIN(file.processing_since) FROM files_file AS file\n                   WHERE file.run_id = run.id AND file.processing_since IS NOT NULL\n                     AND file.category = 'raw' AND file.deleted_at IS NULL)\n            ELSE run.processing_since END,\n        updated_at = GREATEST(run.updated_at, date_trunc('milliseconds', clock_timestamp()))\n      FROM (SELECT run_id,\n                   COALESCE(SUM(step) FILTER (WHERE counted), 0) AS files,\n                   COALESCE(SUM(step * size_bytes) FILTER (WHERE counted), 0) AS bytes,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'failed'), 0) AS failed,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND waits), 0) AS pending,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'uploaded'), 0) AS uploaded,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'processing'), 0) AS processing,\n                   COALESCE(SUM(step) FILTER (WHERE counted AND status = 'completed'), 0) AS completed,\n                   bool_or(status = 'processing') AS stirs_processing\n              FROM (SELECT run_id, step, size_bytes, status,\n                           status IN ('detected', 'upload_requested') AS waits,\n                           category = 'raw' AND deleted_at IS NULL AS counted\n                      FROM (SELECT -1 AS step, old_rows.* FROM old_rows) AS touched) AS weighed\n             GROUP BY run_id) AS change\n     WHERE run.id = change.run_id;\n    RETURN NULL;\n",
                    hash="13c88cab9e2e5bbcd059c3175acd3a3ec192c703",
                    level="STATEMENT",
                    operation="DELETE",
                    pgid="pgtrigger_count_gone_files_fab1d",
                    referencing="REFERENCING OLD TABLE AS old_rows ",
                    table="files_file",
                    when="AFTER",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="uploadpart",
            constraint=models.UniqueConstraint(
                fields=("file", "upload_id", "part_number"), name="one_upload_part_per_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="uploadpart",
            constraint=models.CheckConstraint(
                condition=models.Q(("part_number__range", (1, 10000))), name="upload_part_number_range"
            ),
        ),
        migrations.AddConstraint(
            model_name="uploadpart",
            constraint=models.CheckConstraint(
                condition=models.Q(("crc32__regex", "^[0-9a-f]{8}$")), name="upload_part_crc32_is_hex"
            ),
        ),
    ]
