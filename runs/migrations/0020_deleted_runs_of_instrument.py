"""Finding deleted runs that may be purged, and the check of those that were."""

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("runs", "0019_purged_runs")]

    operations = [
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", False), ("purged_at__isnull", True)),
                fields=["instrument", "deleted_at"],
                name="deleted_runs_of_instrument",
            ),
        ),
        AddConstraintNotValid(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("purged_at__isnull", True), ("deleted_at__isnull", False), _connector="OR"),
                name="purged_run_stays_deleted",
            ),
        ),
        ValidateConstraint(model_name="run", name="purged_run_stays_deleted"),
    ]
