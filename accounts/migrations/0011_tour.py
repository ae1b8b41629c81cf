from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_time_zone_of_a_person"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="tour_ended_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
