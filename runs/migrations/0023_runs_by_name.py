"""The run list by name, without sorting all runs for a page."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("runs", "0022_share_links")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True)), fields=["run_id", "id"], name="runs_by_name"
            ),
        ),
    ]
