import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("files", "0008_files_in_natural_order"),
        ("instruments", "0002_trail"),
        ("processing", "0001_processing"),
    ]

    operations = [
        migrations.AddField(
            model_name="processingjob",
            name="instrument",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="instruments.instrument",
            ),
        ),
        migrations.AddField(
            model_name="processingjob",
            name="turn",
            field=models.BigIntegerField(db_default=0, editable=False),
        ),
    ]
