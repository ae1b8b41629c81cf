"""Items of a report are counted within the index again, which since files are purged has to know which are kept."""

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("files", "0023_cold_files_of_run")]

    operations = [
        AddIndexConcurrently(
            model_name="file",
            index=models.Index(
                condition=models.Q(
                    ("deleted_at__isnull", True),
                    ("purged_at__isnull", True),
                    ("uploaded_at__isnull", False),
                    models.Q(("report_kind", ""), _negated=True),
                ),
                fields=["run", "report_kind", "natural_key", "id"],
                name="kept_report_items",
            ),
        ),
        RemoveIndexConcurrently(model_name="file", name="report_items_in_natural_order"),
    ]
