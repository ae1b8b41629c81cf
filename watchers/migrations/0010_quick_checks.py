import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("watchers", "0009_no_index_on_token")]

    operations = [
        migrations.RemoveConstraint(
            model_name="watcher",
            name="watcher_config_checksum_is_sha256",
        ),
        migrations.AddConstraint(
            model_name="watcher",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("config_checksum"), 64),
                    models.Q(("config_checksum__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="watcher_config_checksum_is_sha256",
            ),
        ),
    ]
