"""The check of the days; the table is read without keeping others out."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("instruments", "0007_retention")]

    operations = [
        AddConstraintNotValid(
            model_name="instrument",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("expire_archives_after_days__range", (1, 36600)),
                    ("expire_processed_after_days__range", (1, 36600)),
                    ("expire_raw_after_days__range", (1, 36600)),
                    ("purge_deleted_after_days__range", (1, 36600)),
                ),
                name="instrument_keeps_for_days",
            ),
        ),
        ValidateConstraint(model_name="instrument", name="instrument_keeps_for_days"),
    ]
