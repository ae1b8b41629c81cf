"""The types of what goes by a rule of retention."""

# online: choices are not of the database, and the log keeps thirty days: its check reads them in a moment

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("changes", "0001_log_and_webhooks"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="change",
            name="change_type_is_known",
        ),
        migrations.AlterField(
            model_name="change",
            name="type",
            field=models.CharField(
                choices=[
                    ("run.created", "A run was reported"),
                    ("run.completed", "All files of a run are read"),
                    ("run.failed", "A file of a run failed"),
                    ("run.deleted", "A run was deleted"),
                    ("run.restored", "A deleted run is back"),
                    ("run.purged", "A deleted run is gone for good"),
                    ("file.uploaded", "A file is stored"),
                    ("file.completed", "A file was read"),
                    ("file.failed", "A file failed"),
                    ("file.purged", "The bytes of a file went by a rule of retention"),
                    ("comment.created", "Somebody commented on a run"),
                    ("archive.ready", "An archive can be downloaded"),
                    ("archive.failed", "An archive could not be built"),
                    ("instrument.pending", "An instrument waits to be confirmed"),
                    ("watcher.registered", "A watcher registered"),
                    ("watcher.offline", "A watcher fell silent"),
                    ("watcher.online", "A watcher is back"),
                ],
                max_length=32,
            ),
        ),
        migrations.AddConstraint(
            model_name="change",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "type__in",
                        [
                            "run.created",
                            "run.completed",
                            "run.failed",
                            "run.deleted",
                            "run.restored",
                            "run.purged",
                            "file.uploaded",
                            "file.completed",
                            "file.failed",
                            "file.purged",
                            "comment.created",
                            "archive.ready",
                            "archive.failed",
                            "instrument.pending",
                            "watcher.registered",
                            "watcher.offline",
                            "watcher.online",
                        ],
                    )
                ),
                name="change_type_is_known",
            ),
        ),
    ]
