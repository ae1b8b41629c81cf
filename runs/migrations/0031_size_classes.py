"""How large a run is, roughly: what a list by size walks along, written seldom while files are added.

The table is written anew under its lock: 30 s for a million runs on two cores. A plain column could not be filled
without a wrong order meanwhile.
"""

# online: those who wait are answered when it is done, and agents and clients ask again where their time was over

from django.db import migrations, models
from django.db.models.functions import Cast, Floor, Ln


class Migration(migrations.Migration):
    dependencies = [("runs", "0030_links_of_tokens")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="size_class",
            field=models.GeneratedField(
                db_persist=True,
                expression=Floor(
                    models.expressions.CombinedExpression(
                        Ln(
                            models.expressions.CombinedExpression(
                                Cast("total_size_bytes", models.FloatField()), "+", models.Value(1.0)
                            )
                        ),
                        "*",
                        models.Value(2.8853900817779268),
                    ),
                    output_field=models.SmallIntegerField(),
                ),
                output_field=models.SmallIntegerField(),
            ),
        ),
    ]
