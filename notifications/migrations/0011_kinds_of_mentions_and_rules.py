"""People are mentioned, and have rules: kinds of notifications, the old ones among them."""

# online: only the choices of Python change; the constraint becomes wider, and is checked without a lock

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the constraint is validated

    dependencies = [("notifications", "0010_instruments_of_notification")]

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
                    ("mention", "Mention"),
                    ("generic", "Message"),
                    ("watcher_offline", "Watcher offline"),
                    ("watcher_online", "Watcher online"),
                    ("folder_away", "Folder away"),
                    ("no_files", "No new files"),
                    ("instance_conflict", "Two computers as one watcher"),
                    ("feedback_updated", "Feedback"),
                    ("run_completed", "Completed run"),
                    ("file_failed", "Failed file"),
                    ("archive_ready", "Archive ready"),
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
                    ("mention", "Mention"),
                    ("generic", "Message"),
                    ("watcher_offline", "Watcher offline"),
                    ("watcher_online", "Watcher online"),
                    ("folder_away", "Folder away"),
                    ("no_files", "No new files"),
                    ("instance_conflict", "Two computers as one watcher"),
                    ("feedback_updated", "Feedback"),
                    ("run_completed", "Completed run"),
                    ("file_failed", "Failed file"),
                    ("archive_ready", "Archive ready"),
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
                    ("mention", "Mention"),
                    ("generic", "Message"),
                    ("watcher_offline", "Watcher offline"),
                    ("watcher_online", "Watcher online"),
                    ("folder_away", "Folder away"),
                    ("no_files", "No new files"),
                    ("instance_conflict", "Two computers as one watcher"),
                    ("feedback_updated", "Feedback"),
                    ("run_completed", "Completed run"),
                    ("file_failed", "Failed file"),
                    ("archive_ready", "Archive ready"),
                ],
                max_length=32,
            ),
        ),
        AddConstraintNotValid(
            model_name="announcement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "run_created",
                            "run_failed",
                            "comment",
                            "mention",
                            "generic",
                            "watcher_offline",
                            "watcher_online",
                            "folder_away",
                            "no_files",
                            "instance_conflict",
                            "feedback_updated",
                            "run_completed",
                            "file_failed",
                            "archive_ready",
                        ],
                    )
                ),
                name="announcement_kind_is_known",
            ),
        ),
        ValidateConstraint(model_name="announcement", name="announcement_kind_is_known"),
        AddConstraintNotValid(
            model_name="notification",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "run_created",
                            "run_failed",
                            "comment",
                            "mention",
                            "generic",
                            "watcher_offline",
                            "watcher_online",
                            "folder_away",
                            "no_files",
                            "instance_conflict",
                            "feedback_updated",
                            "run_completed",
                            "file_failed",
                            "archive_ready",
                        ],
                    )
                ),
                name="notification_kind_is_known",
            ),
        ),
        ValidateConstraint(model_name="notification", name="notification_kind_is_known"),
        AddConstraintNotValid(
            model_name="preference",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "run_created",
                            "run_failed",
                            "comment",
                            "mention",
                            "generic",
                            "watcher_offline",
                            "watcher_online",
                            "folder_away",
                            "no_files",
                            "instance_conflict",
                            "feedback_updated",
                            "run_completed",
                            "file_failed",
                            "archive_ready",
                        ],
                    )
                ),
                name="preference_kind_is_known",
            ),
        ),
        ValidateConstraint(model_name="preference", name="preference_kind_is_known"),
    ]
