import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("archives", "0001_archive_jobs")]

    operations = [
        migrations.RemoveConstraint(
            model_name="archivejob",
            name="archive_key_is_sha256",
        ),
        migrations.AddConstraint(
            model_name="archivejob",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("cache_key"), 64),
                    models.Q(("cache_key__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="archive_key_is_sha256",
            ),
        ),
    ]
