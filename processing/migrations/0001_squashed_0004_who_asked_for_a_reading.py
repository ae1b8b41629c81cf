# online: on a database that has tables already, nothing is run
import django.db.models.deletion
import django.db.models.lookups
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    """What the migrations that it replaces make one after the other, in one step: a new database starts with it."""

    replaces = [
        ("processing", "0001_processing"),
        ("processing", "0002_fair_turns"),
        ("processing", "0003_indexes_of_turns"),
        ("processing", "0004_who_asked_for_a_reading"),
    ]

    initial = True

    dependencies = [
        ("files", "0001_squashed_0014_expression_of_metadata"),
        ("instruments", "0001_squashed_0004_changes_are_recorded"),
    ]

    operations = [
        migrations.CreateModel(
            name="ProcessingJob",
            fields=[
                (
                    "file",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="processing_job",
                        serialize=False,
                        to="files.file",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("completed", "Completed"),
                            ("failed", "Failed"),
                            ("not_read", "Not Read"),
                        ],
                        default="waiting",
                        max_length=9,
                    ),
                ),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("requested_at", models.DateTimeField(default=wire.clock.now)),
                ("turn", models.BigIntegerField(db_default=0, editable=False)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("request_id", models.CharField(editable=False, max_length=64, null=True)),
                ("traceparent", models.CharField(editable=False, max_length=55, null=True)),
                ("processor", models.CharField(blank=True, default="", max_length=64)),
                ("processor_version", models.CharField(blank=True, default="", max_length=64)),
                ("run_facts", models.JSONField(blank=True, default=dict)),
                ("detail", models.TextField(blank=True, default="")),
                (
                    "instrument",
                    models.ForeignKey(
                        db_index=False,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=["requested_at"],
                        name="unfinished_processing",
                    ),
                    models.Index(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=["turn", "requested_at"],
                        name="processing_by_turn",
                    ),
                    models.Index(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=["instrument", "turn"],
                        name="turns_of_instrument",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "running", "completed", "failed", "not_read"])),
                        name="processing_state_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("attempts__gte", 0)), name="processing_attempts_are_counted"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(
                                models.Func(
                                    models.F("run_facts"), function="jsonb_typeof", output_field=models.TextField()
                                ),
                                "object",
                            )
                        ),
                        name="processing_facts_are_an_object",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("state__in", ("waiting", "running"))),
                            models.Q(
                                models.Q(("state__in", ("waiting", "running")), _negated=True),
                                ("ended_at__isnull", False),
                                ("lease_id__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="processing_ends_at_a_time",
                    ),
                ],
            },
        ),
    ]
