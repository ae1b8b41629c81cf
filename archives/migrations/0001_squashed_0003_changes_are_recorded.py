# online: on a database that has tables already, nothing is run
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import wire.clock
import wire.ids


class Migration(migrations.Migration):
    """What the migrations that it replaces make one after the other, in one step: a new database starts with it."""

    replaces = [
        ("archives", "0001_archive_jobs"),
        ("archives", "0002_quick_checks"),
        ("archives", "0003_changes_are_recorded"),
    ]

    initial = True

    dependencies = [
        ("changes", "0001_log_and_webhooks"),
        ("runs", "0001_squashed_0015_expressions_of_metadata"),
    ]

    operations = [
        migrations.CreateModel(
            name="ArchiveJob",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("cache_key", models.CharField(editable=False, max_length=64)),
                (
                    "file_ids",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.BigIntegerField(), editable=False, size=None
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("building", "Building"), ("ready", "Ready"), ("failed", "Failed")],
                        default="building",
                        max_length=8,
                    ),
                ),
                ("size_bytes", models.BigIntegerField(null=True)),
                ("error_message", models.TextField(blank=True, null=True)),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("external_upload_id", models.TextField(editable=False, null=True)),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("completed_at", models.DateTimeField(null=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="archive_jobs", to="runs.run"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("status", "building")), fields=["created_at"], name="archives_building"
                    ),
                    models.Index(fields=["cache_key", "-created_at"], name="archives_by_key"),
                    models.Index(fields=["completed_at"], name="archives_by_completion"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("status", "failed"), _negated=True),
                        fields=("cache_key",),
                        name="one_archive_in_flight_or_ready_per_key",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["building", "ready", "failed"])),
                        name="archive_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("cache_key"), 64),
                            models.Q(("cache_key__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="archive_key_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("file_ids", []), _negated=True), name="archive_has_members"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("completed_at__isnull", True), ("status", "building")),
                            models.Q(models.Q(("status", "building"), _negated=True), ("completed_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="archive_ends_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("status", "ready"), _negated=True), ("size_bytes__isnull", False), _connector="OR"
                        ),
                        name="ready_archive_has_a_size",
                    ),
                ],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="archivejob",
            trigger=pgtrigger.compiler.Trigger(
                name="record_ended_archive",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.status <> NEW.status AND NEW.status IN ('ready', 'failed'))",
                    constraint="CONSTRAINT",
                    func="PERFORM public.record_change(\n        'archive.' || NEW.status, run.instrument_id, run.run_id, NULL, NULL, NEW.id, NULL\n    ) FROM runs_run AS run WHERE run.id = NEW.run_id;\n    RETURN NULL;",
                    hash="cac8622dbc41952f3bebf698dcb368e120348e2e",
                    operation='UPDATE OF "status"',
                    pgid="pgtrigger_record_ended_archive_ac4a1",
                    table="archives_archivejob",
                    timing="DEFERRABLE INITIALLY DEFERRED",
                    when="AFTER",
                ),
            ),
        ),
    ]
