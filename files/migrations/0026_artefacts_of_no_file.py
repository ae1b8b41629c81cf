"""Pictures of comments that nobody sent are found by when they came, without a look at every file."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("files", "0025_taken_pictures")]

    operations = [
        AddIndexConcurrently(
            model_name="file",
            index=models.Index(
                condition=models.Q(
                    ("category", "processed"), ("deleted_at__isnull", True), ("source_file__isnull", True)
                ),
                fields=["uploaded_at"],
                name="artefacts_of_no_file",
            ),
        ),
    ]
