"""Whether a caller sees a run of a project is asked of an index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # runs are reported while the index is built

    dependencies = [("runs", "0017_holds")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                condition=models.Q(project__isnull=False), fields=["project", "instrument"], name="runs_of_project"
            ),
        ),
    ]
