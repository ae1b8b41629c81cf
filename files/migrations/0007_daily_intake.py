import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What came in of each instrument and day, for quotas."""

    dependencies = [("files", "0006_trail"), ("instruments", "0001_instruments")]

    operations = [
        migrations.CreateModel(
            name="DailyIntake",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("day", models.DateField()),
                ("size_bytes", models.BigIntegerField()),
                (
                    "instrument",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="instruments.instrument",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("instrument", "day"), name="one_intake_per_instrument_and_day"),
                    models.CheckConstraint(condition=models.Q(("size_bytes__gte", 0)), name="intake_is_not_negative"),
                ],
            },
        ),
    ]
