import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0001_notifications")]

    operations = [
        migrations.RemoveConstraint(
            model_name="notification",
            name="notification_digest_is_sha256",
        ),
        migrations.AddConstraint(
            model_name="notification",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("message_sha256"), 64),
                    models.Q(("message_sha256__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="notification_digest_is_sha256",
            ),
        ),
    ]
