import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q

EVENT_TYPES = [
    ("watcher_started", "Watcher Started"),
    ("watcher_stopped", "Watcher Stopped"),
    ("config_synced", "Config Synced"),
    ("run_reported", "Run Reported"),
    ("file_uploaded", "File Uploaded"),
    ("upload_failed", "Upload Failed"),
    ("error", "Error"),
    ("update_started", "Update Started"),
    ("update_succeeded", "Update Succeeded"),
    ("update_failed", "Update Failed"),
]


class Migration(migrations.Migration):
    dependencies = [("watchers", "0005_heartbeats")]

    operations = [
        migrations.CreateModel(
            name="WatcherEvent",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("event_id", models.UUIDField()),
                ("event_type", models.CharField(choices=EVENT_TYPES, max_length=16)),
                ("happened_at", models.DateTimeField()),
                ("message", models.TextField()),
                ("details", models.JSONField(blank=True, null=True)),
                ("received_at", models.DateTimeField()),
                (
                    "watcher",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="events",
                        to="watchers.watcher",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["watcher", "-happened_at", "-event_id"], name="events_of_watcher_by_time"),
                    models.Index(fields=["received_at"], name="events_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=["watcher", "event_id"], name="one_event_per_watcher_and_id"),
                    models.CheckConstraint(
                        condition=Q(event_type__in=[value for value, _ in EVENT_TYPES]), name="event_type_is_known"
                    ),
                ],
            },
        ),
    ]
