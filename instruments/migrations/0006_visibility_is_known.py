"""The check of a column that the migration before added; the table is read without keeping others out."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("instruments", "0005_groups")]

    operations = [
        AddConstraintNotValid(
            model_name="instrument",
            constraint=models.CheckConstraint(
                condition=models.Q(("visibility__in", ["everyone", "groups"])), name="instrument_visibility_is_known"
            ),
        ),
        ValidateConstraint(model_name="instrument", name="instrument_visibility_is_known"),
    ]
