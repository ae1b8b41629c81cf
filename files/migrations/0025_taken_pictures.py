"""What went with its comment is found by when, for the rule of retention that ends it."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("files", "0024_kept_report_items")]

    operations = [
        AddIndexConcurrently(
            model_name="file",
            index=models.Index(
                condition=models.Q(
                    ("deleted_at__isnull", False), ("purged_at__isnull", True), ("uploaded_at__isnull", False)
                ),
                fields=["deleted_at", "id"],
                name="taken_pictures",
            ),
        ),
    ]
