"""People hear of folders that are away, of files that do not come and of two computers as one watcher."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0006_delivery_leases")]

    operations = [
        migrations.RemoveConstraint(
            model_name="announcement",
            name="announcement_kind_is_known",
        ),
        migrations.RemoveConstraint(
            model_name="notification",
            name="notification_kind_is_known",
        ),
        migrations.RemoveConstraint(
            model_name="preference",
            name="preference_kind_is_known",
        ),
        migrations.AlterField(
            model_name="announcement",
            name="kind",
            field=models.CharField(
                choices=[
                    ("run_created", "New run"),
                    ("run_failed", "Failed run"),
                    ("comment", "Comment"),
                    ("generic", "Message"),
                    ("watcher_offline", "Watcher offline"),
                    ("watcher_online", "Watcher online"),
                    ("folder_away", "Folder away"),
                    ("no_files", "No new files"),
                    ("instance_conflict", "Two computers as one watcher"),
                    ("feedback_updated", "Feedback"),
                ],
                max_length=32,
            ),
        ),
        migrations.AlterField(
            model_name="notification",
            name="kind",
            field=models.CharField(
                choices=[
                    ("run_created", "New run"),
                    ("run_failed", "Failed run"),
                    ("comment", "Comment"),
                    ("generic", "Message"),
                    ("watcher_offline", "Watcher offline"),
                    ("watcher_online", "Watcher online"),
                    ("folder_away", "Folder away"),
                    ("no_files", "No new files"),
                    ("instance_conflict", "Two computers as one watcher"),
                    ("feedback_updated", "Feedback"),
                ],
                max_length=32,
            ),
        ),
        migrations.AlterField(
            model_name="preference",
            name="kind",
            field=models.CharField(
                choices=[
                    ("run_created", "New run"),
                    ("run_failed", "Failed run"),
                    ("comment", "Comment"),
                    ("generic", "Message"),
                    ("watcher_offline", "Watcher offline"),
                    ("watcher_online", "Watcher online"),
                    ("folder_away", "Folder away"),
                    ("no_files", "No new files"),
                    ("instance_conflict", "Two computers as one watcher"),
                    ("feedback_updated", "Feedback"),
                ],
                max_length=32,
            ),
        ),
        migrations.AddConstraint(
            model_name="announcement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "run_created",
                            "run_failed",
                            "comment",
                            "generic",
                            "watcher_offline",
                            "watcher_online",
                            "folder_away",
                            "no_files",
                            "instance_conflict",
                            "feedback_updated",
                        ],
                    )
                ),
                name="announcement_kind_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="notification",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "run_created",
                            "run_failed",
                            "comment",
                            "generic",
                            "watcher_offline",
                            "watcher_online",
                            "folder_away",
                            "no_files",
                            "instance_conflict",
                            "feedback_updated",
                        ],
                    )
                ),
                name="notification_kind_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="preference",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "run_created",
                            "run_failed",
                            "comment",
                            "generic",
                            "watcher_offline",
                            "watcher_online",
                            "folder_away",
                            "no_files",
                            "instance_conflict",
                            "feedback_updated",
                        ],
                    )
                ),
                name="preference_kind_is_known",
            ),
        ),
    ]
