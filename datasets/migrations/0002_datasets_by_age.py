"""The newest datasets, without sorting all of them for a page."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("datasets", "0001_datasets")]

    operations = [
        AddIndexConcurrently(
            model_name="dataset",
            index=models.Index(fields=["-created_at", "-id"], name="datasets_by_age"),
        ),
    ]
