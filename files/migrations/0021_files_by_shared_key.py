from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Collate


class Migration(migrations.Migration):
    """Of keys that files may share. There is none before the setting is on: the index begins empty."""

    atomic = False

    dependencies = [
        ("files", "0020_sharable_objects"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="file",
            index=models.Index(
                Collate(models.F("storage_key"), "C"),
                condition=models.Q(storage_key__startswith="runs/shared/"),
                name="files_by_shared_key",
            ),
        ),
    ]
