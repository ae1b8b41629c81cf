"""A notification knows which instruments it speaks of: it is hidden from whom they are hidden."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("notifications", "0009_email_channel")]

    operations = [
        migrations.AddField(
            model_name="notification",
            name="instrument_ids",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=64), editable=False, null=True, size=None
            ),
        ),
    ]
