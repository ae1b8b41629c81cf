"""The run list by size, without sorting all runs for a page."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("runs", "0031_size_classes")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True)), fields=["-size_class"], name="runs_by_size"
            ),
        ),
    ]
