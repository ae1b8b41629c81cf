"""Finding what may be purged, and the checks of what was."""

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # rows are written while the index is built

    dependencies = [("files", "0015_purged_files")]

    operations = [
        AddIndexConcurrently(
            model_name="file",
            index=models.Index(
                condition=models.Q(("purged_at__isnull", True), ("uploaded_at__isnull", False)),
                fields=["run", "category", "uploaded_at"],
                name="kept_files_of_run",
            ),
        ),
        AddConstraintNotValid(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("purged_at__isnull", True), ("purged_by_rule__isnull", True)),
                    models.Q(
                        ("purged_at__isnull", False), ("purged_by_rule__isnull", False), ("uploaded_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="purged_file_was_stored_and_names_its_rule",
            ),
        ),
        ValidateConstraint(model_name="file", name="purged_file_was_stored_and_names_its_rule"),
        AddConstraintNotValid(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "purged_by_rule__in",
                        ("purge_deleted_after_days", "expire_raw_after_days", "expire_processed_after_days"),
                    )
                ),
                name="file_purge_rule_is_known",
            ),
        ),
        ValidateConstraint(model_name="file", name="file_purge_rule_is_known"),
    ]
