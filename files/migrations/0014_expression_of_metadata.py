import django.db.models.expressions
from django.db import migrations, models


class Migration(migrations.Migration):
    """The columns stay as they are: their expression names the field, no longer the column that it is kept in."""

    dependencies = [
        ("files", "0013_changes_are_recorded"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AlterField(
                    model_name="file",
                    name="metadata",
                    field=models.GeneratedField(
                        db_persist=True,
                        expression=django.db.models.expressions.CombinedExpression(
                            models.F("extracted"), "||", models.F("caller_metadata"), output_field=models.JSONField()
                        ),
                        output_field=models.JSONField(),
                    ),
                ),
            ]
        ),
    ]
