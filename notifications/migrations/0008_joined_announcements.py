"""An announcement that comes soon after another of its kind is delivered with it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0007_kinds_of_folders")]

    operations = [
        migrations.AddField(
            model_name="announcement",
            name="joined_to",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="joined",
                to="notifications.announcement",
            ),
        ),
        migrations.AddIndex(
            model_name="announcement",
            index=models.Index(
                condition=models.Q(("joined_to__isnull", False)), fields=["joined_to"], name="announcements_joined"
            ),
        ),
        migrations.AddConstraint(
            model_name="announcement",
            constraint=models.CheckConstraint(
                condition=models.Q(("joined_to", models.F("pk")), _negated=True), name="announcement_joins_another"
            ),
        ),
    ]
