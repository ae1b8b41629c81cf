from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0009_trail_detachments"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="tour_ended_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
