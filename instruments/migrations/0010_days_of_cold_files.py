"""What holds for the days after which raw files become cold."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("instruments", "0009_cold_raw_files")]

    operations = [
        AddConstraintNotValid(
            model_name="instrument",
            constraint=models.CheckConstraint(
                condition=models.Q(cold_raw_after_days__range=(1, 36600)), name="instrument_cools_after_days"
            ),
        ),
        ValidateConstraint(model_name="instrument", name="instrument_cools_after_days"),
    ]
