"""The event of a watcher that passed to another computer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("watchers", "0017_enrolment_codes"),
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
                    ("run_reported", "Run Reported"),
                    ("file_uploaded", "File Uploaded"),
                    ("upload_failed", "Upload Failed"),
                    ("error", "Error"),
                    ("update_started", "Update Started"),
                    ("update_succeeded", "Update Succeeded"),
                    ("update_failed", "Update Failed"),
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
                            "run_reported",
                            "file_uploaded",
                            "upload_failed",
                            "error",
                            "update_started",
                            "update_succeeded",
                            "update_failed",
                            "taken_over",
                            "instance_conflict",
                        ],
                    )
                ),
                name="event_type_is_known",
            ),
        ),
    ]
