# online: on a database that has tables already, nothing is run
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import wire.clock
import wire.columns

# Frequent vacuuming, so that index-only counts of report items find the visibility map.
SETTINGS = "autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05"


class Migration(migrations.Migration):
    """What the migrations that it replaces make one after the other, in one step: a new database starts with it."""

    replaces = [
        ("files", "0001_files"),
        ("files", "0002_storage"),
        ("files", "0003_upload_part_checksums"),
        ("files", "0004_search_by_name"),
        ("files", "0005_quick_checks"),
        ("files", "0006_trail"),
        ("files", "0007_daily_intake"),
        ("files", "0008_files_in_natural_order"),
        ("files", "0009_names_of_columns"),
        ("files", "0010_versions_of_files"),
        ("files", "0011_read_backs_and_the_position_of_the_sweep"),
        ("files", "0012_stored_sizes"),
        ("files", "0013_changes_are_recorded"),
        ("files", "0014_expression_of_metadata"),
    ]

    initial = True

    dependencies = [
        ("changes", "0001_log_and_webhooks"),
        ("instruments", "0001_squashed_0004_changes_are_recorded"),
        ("runs", "0001_squashed_0015_expressions_of_metadata"),
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
                ("key_nonce", models.CharField(db_column="upload_id", editable=False, max_length=64, null=True)),
                ("multipart_upload_id", models.TextField(editable=False, null=True)),
                ("part_size", models.BigIntegerField(editable=False, null=True)),
                ("caller_metadata", models.JSONField(blank=True, db_column="own", default=dict)),
                ("extracted", models.JSONField(blank=True, default=dict)),
                (
                    "metadata",
                    models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            models.F("extracted"), "||", models.F("caller_metadata"), output_field=models.JSONField()
                        ),
                        output_field=models.JSONField(),
                    ),
                ),
                ("error_message", models.TextField(blank=True, null=True)),
                ("version", models.IntegerField(db_default=1, default=1, editable=False)),
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
                (
                    "version_of",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="later_versions",
                        to="files.file",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "category", "relative_path"), name="one_file_per_run_category_and_path"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("version_of__isnull", False)),
                        fields=("version_of", "version"),
                        name="one_file_per_version",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("version", 1), ("version_of__isnull", True)),
                            models.Q(("version__gt", 1), ("version_of__isnull", False)),
                            _connector="OR",
                        ),
                        name="later_version_has_a_first",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("category__in", ["raw", "processed"])), name="file_category_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            (
                                "status__in",
                                ["detected", "upload_requested", "uploaded", "processing", "completed", "failed"],
                            )
                        ),
                        name="file_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("report_kind__in", ["", "image", "pdf", "spectrum"])),
                        name="file_report_kind_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("filename", ""), _negated=True),
                            django.db.models.lookups.LessThanOrEqual(
                                models.Func(
                                    models.F("filename"), function="octet_length", output_field=models.IntegerField()
                                ),
                                255,
                            ),
                            ("filename__regex", "^[^/\\\\]*$"),
                        ),
                        name="file_name_is_a_path_segment",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.LessThanOrEqual(
                                models.Func(
                                    models.F("relative_path"),
                                    function="octet_length",
                                    output_field=models.IntegerField(),
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
                    models.CheckConstraint(
                        condition=models.Q(("size_bytes__gte", 0)), name="file_size_is_not_negative"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("sha256"), 64),
                            models.Q(("sha256__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="file_sha256_is_hex",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("crc32"), 8),
                            models.Q(("crc32__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="file_crc32_is_hex",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                models.Func(
                                    models.F("extracted"), function="jsonb_typeof", output_field=models.TextField()
                                ),
                                "object",
                            )
                        ),
                        name="file_extracted_is_an_object",
                    ),
                    models.CheckConstraint(
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
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "upload_requested"), _negated=True),
                            ("upload_requested_at__isnull", False),
                            _connector="OR",
                        ),
                        name="file_upload_request_has_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("processing_since__isnull", False), ("status", "processing")),
                            models.Q(
                                models.Q(("status", "processing"), _negated=True), ("processing_since__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="file_processing_has_a_beginning",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "completed"), _negated=True),
                            ("processed_at__isnull", False),
                            _connector="OR",
                        ),
                        name="file_completion_has_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("deleted_at__isnull", True),
                            ("uploaded_at__isnull", True),
                            ("category", "processed"),
                            _connector="OR",
                        ),
                        name="stored_raw_file_is_not_dismissed",
                    ),
                ],
                "indexes": [
                    models.Index(
                        condition=models.Q(
                            ("deleted_at__isnull", True),
                            ("uploaded_at__isnull", False),
                            models.Q(("report_kind", ""), _negated=True),
                        ),
                        fields=["run", "report_kind", "natural_key", "id"],
                        name="report_items_in_natural_order",
                    ),
                    models.Index(
                        condition=models.Q(("deleted_at__isnull", True)),
                        fields=["run", "category", "natural_key", "id"],
                        name="files_in_natural_order",
                    ),
                    models.Index(
                        condition=models.Q(("processing_since__isnull", False)),
                        fields=["run", "processing_since"],
                        name="processing_files",
                    ),
                    models.Index(
                        condition=models.Q(
                            ("deleted_at__isnull", True),
                            ("upload_requested_at__isnull", False),
                            ("uploaded_at__isnull", True),
                        ),
                        fields=["upload_requested_at", "id"],
                        name="requested_uploads_by_age",
                    ),
                    django.contrib.postgres.indexes.GinIndex(
                        django.contrib.postgres.indexes.OpClass(
                            django.db.models.functions.text.Upper(wire.columns.Searchable("filename")),
                            name="gin_trgm_ops",
                        ),
                        condition=models.Q(("deleted_at__isnull", True)),
                        name="files_by_part_of_name",
                    ),
                    models.Index(
                        condition=models.Q(("version_of__isnull", False)),
                        fields=["run", "version_of", "version"],
                        name="later_versions_of_run",
                    ),
                    models.Index(
                        condition=models.Q(("source_file__isnull", False)),
                        fields=["source_file"],
                        name="artefacts_of_file",
                    ),
                ],
            },
        ),
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
                (
                    "pgh_obj",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="files.file",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="runs.run",
                    ),
                ),
            ],
            options={
                "verbose_name": "file change",
                "verbose_name_plural": "file changes",
                "abstract": False,
                "indexes": [models.Index(fields=["run", "-pgh_id"], name="trail_of_file")],
            },
        ),
        migrations.CreateModel(
            name="ReadBack",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("storage_key", models.TextField()),
                ("crc32", models.CharField(max_length=8, null=True)),
                ("requested_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("error_message", models.TextField(blank=True, null=True)),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="read_backs", to="files.file"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("storage_key",), name="one_read_back_per_key"),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("crc32"), 8),
                            models.Q(("crc32__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="read_back_crc32_is_hex",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SweepPosition",
            fields=[
                ("id", models.IntegerField(default=1, primary_key=True, serialize=False)),
                ("after", models.TextField(blank=True)),
                ("looked_at", models.DateTimeField(default=wire.clock.now)),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="one_sweep_position")],
            },
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
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("file", "upload_id", "part_number", "crc32"),
                        name="one_upload_part_per_number_and_crc32",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("part_number__range", (1, 10000))), name="upload_part_number_range"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("crc32"), 8),
                            models.Q(("crc32__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="upload_part_crc32_is_hex",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DailyIntake",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("size_bytes", models.BigIntegerField()),
                (
                    "instrument",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("instrument", "day"), name="one_intake_per_instrument_and_day"),
                    models.CheckConstraint(condition=models.Q(("size_bytes__gte", 0)), name="intake_is_not_negative"),
                ],
            },
        ),
        migrations.RunSQL(f"ALTER TABLE files_file SET ({SETTINGS})", migrations.RunSQL.noop),
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
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="record_stored_file",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.uploaded_at IS NOT NULL AND NEW.category = 'raw')",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'file.uploaded', run.instrument_id, run.run_id, NEW.id, NULL, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="90f83836c3e136f83db4d8b5f6de462ec6026539",
                    operation="INSERT",
                    pgid="pgtrigger_record_stored_file_93c09",
                    table="files_file",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="record_uploaded_file",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.uploaded_at IS NULL AND NEW.uploaded_at IS NOT NULL)",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'file.uploaded', run.instrument_id, run.run_id, NEW.id, NULL, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="921b053208b1eb8f65b7554dfbd16c24a581233a",
                    operation='UPDATE OF "uploaded_at"',
                    pgid="pgtrigger_record_uploaded_file_6c8b6",
                    table="files_file",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="file",
            trigger=pgtrigger.compiler.Trigger(
                name="record_read_file",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> NEW.status AND NEW.status IN ('completed', 'failed'))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'file.' || NEW.status, run.instrument_id, run.run_id, NEW.id, NULL, NULL, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="fb018af0e4c2dd4452a03da0e017aa3e2946a894",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_read_file_5c8ca",
                    table="files_file",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
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
