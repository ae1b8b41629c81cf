from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("watchers", "0003_unknown_is_null")]

    operations = [
        migrations.AddField("watcher", "offline_announced_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddConstraint(
            "watcher",
            models.CheckConstraint(
                condition=~Q(status="watching") | Q(last_heartbeat_at__isnull=False), name="watching_watcher_was_heard"
            ),
        ),
    ]
