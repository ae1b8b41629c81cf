import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Two new tables, in which there is nothing yet."""

    dependencies = [
        ("files", "0017_signed_files"),
    ]

    operations = [
        migrations.CreateModel(
            name="FileScrub",
            fields=[
                (
                    "file",
                    models.OneToOneField(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="scrub",
                        serialize=False,
                        to="files.file",
                    ),
                ),
                ("scrubbed_at", models.DateTimeField()),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("error_message", models.TextField(blank=True, default="")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["scrubbed_at", "file"], name="scrubs_by_age"),
                    models.Index(
                        condition=models.Q(("lease_until__isnull", False)),
                        fields=["lease_until"],
                        name="scrubs_at_work",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="IntegrityFinding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(choices=[("missing", "Missing"), ("damaged", "Damaged")], max_length=7)),
                ("storage_key", models.TextField()),
                ("expected", models.TextField(blank=True, default="")),
                ("found", models.TextField(blank=True, default="")),
                ("first_seen_at", models.DateTimeField()),
                ("last_seen_at", models.DateTimeField()),
                ("not_healed_because", models.TextField(blank=True, default="")),
                ("healed_at", models.DateTimeField(null=True)),
                (
                    "healed_from",
                    models.CharField(
                        blank=True,
                        choices=[("replica", "from the replica"), ("elsewhere", "not by the service")],
                        default="",
                        max_length=9,
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="integrity_findings", to="files.file"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("healed_at__isnull", True)),
                        fields=["last_seen_at"],
                        name="open_findings_by_last_sight",
                    ),
                    models.Index(fields=["-first_seen_at"], name="newest_findings"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("healed_at__isnull", True)),
                        fields=("file",),
                        name="one_open_finding_per_file",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["missing", "damaged"])), name="finding_kind_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("last_seen_at__gte", models.F("first_seen_at"))),
                        name="finding_is_seen_again_later",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("healed_at__isnull", True), ("healed_from", "")),
                            models.Q(
                                ("healed_at__gte", models.F("first_seen_at")),
                                ("healed_at__isnull", False),
                                ("healed_from__in", ["replica", "elsewhere"]),
                            ),
                            _connector="OR",
                        ),
                        name="healed_finding_says_from_where",
                    ),
                ],
            },
        ),
    ]
