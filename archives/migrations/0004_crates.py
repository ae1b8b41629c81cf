"""An archive may be an RO-Crate."""

# online: archives are kept for seven days, so there are few to be read under the lock
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("archives", "0003_changes_are_recorded")]

    operations = [
        migrations.AddField(
            model_name="archivejob",
            name="kind",
            field=models.CharField(
                choices=[("files", "Files"), ("ro-crate", "Crate")], db_default="files", default="files", max_length=8
            ),
        ),
        migrations.AddConstraint(
            model_name="archivejob",
            constraint=models.CheckConstraint(
                condition=models.Q(("kind__in", ["files", "ro-crate"])), name="archive_kind_is_known"
            ),
        ),
    ]
