"""What agents say of the folders that they watch."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("watchers", "0014_instances")]

    operations = [
        migrations.AddField(
            model_name="watcher",
            name="folder_away_announced_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="folder_away_since",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="folder_bytes_waiting",
            field=models.BigIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="folder_files_waiting",
            field=models.BigIntegerField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="folder_last_file_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="folder_last_scan_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="folder_state",
            field=models.CharField(
                choices=[
                    ("watching", "is watched"),
                    ("away", "is away"),
                    ("empty_mount", "is an empty mount point"),
                    ("denied", "cannot be read"),
                ],
                editable=False,
                max_length=11,
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="watcher",
            name="no_files_announced_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="watcher",
            constraint=models.CheckConstraint(
                condition=models.Q(("folder_state__in", ["watching", "away", "empty_mount", "denied"])),
                name="watcher_folder_state_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="watcher",
            constraint=models.CheckConstraint(
                condition=models.Q(("folder_bytes_waiting__gte", 0), ("folder_files_waiting__gte", 0)),
                name="folder_counts_are_not_negative",
            ),
        ),
        migrations.AddConstraint(
            model_name="watcher",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("folder_state__in", ("away", "empty_mount", "denied")),
                        ("folder_state__isnull", False),
                        ("folder_away_since__isnull", False),
                    ),
                    models.Q(
                        models.Q(("folder_state__in", ("away", "empty_mount", "denied")), _negated=True),
                        ("folder_away_since__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="unwatched_folder_has_a_begin",
            ),
        ),
    ]
