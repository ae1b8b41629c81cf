"""The installation whose heartbeats a watcher takes, and another that sent one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("watchers", "0013_instance_conflict_events")]

    operations = [
        migrations.AddField(
            model_name="watcher",
            name="instance_conflict_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="instance_id",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name="watcher",
            name="other_instance_id",
            field=models.UUIDField(editable=False, null=True),
        ),
        migrations.AddConstraint(
            model_name="watcher",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("instance_conflict_at__isnull", True), ("other_instance_id__isnull", True)),
                    models.Q(
                        ("instance_conflict_at__isnull", False),
                        ("instance_id__isnull", False),
                        ("other_instance_id__isnull", False),
                        models.Q(("other_instance_id", models.F("instance_id")), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="instance_conflict_names_two",
            ),
        ),
    ]
