"""The events of uploads that somebody at the instrument's computer paused."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("watchers", "0020_signed_releases"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="watcherevent",
            name="event_type_is_known",
        ),
        migrations.AlterField(
            model_name="watcherevent",
            name="event_type",
            field=models.CharField(
                choices=[
                    ("watcher_started", "Watcher Started"),
                    ("watcher_stopped", "Watcher Stopped"),
                    ("config_synced", "Config Synced"),
                    ("config_refused", "Config Refused"),
                    ("run_reported", "Run Reported"),
                    ("file_uploaded", "File Uploaded"),
                    ("upload_failed", "Upload Failed"),
                    ("error", "Error"),
                    ("update_started", "Update Started"),
                    ("update_succeeded", "Update Succeeded"),
                    ("update_failed", "Update Failed"),
                    ("uploads_paused", "Uploads Paused"),
                    ("uploads_resumed", "Uploads Resumed"),
                    ("taken_over", "Taken Over"),
                    ("instance_conflict", "Instance Conflict"),
                ],
                max_length=32,
            ),
        ),
        migrations.AddConstraint(
            model_name="watcherevent",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "event_type__in",
                        [
                            "watcher_started",
                            "watcher_stopped",
                            "config_synced",
                            "config_refused",
                            "run_reported",
                            "file_uploaded",
                            "upload_failed",
                            "error",
                            "update_started",
                            "update_succeeded",
                            "update_failed",
                            "uploads_paused",
                            "uploads_resumed",
                            "taken_over",
                            "instance_conflict",
                        ],
                    )
                ),
                name="event_type_is_known",
            ),
        ),
    ]
