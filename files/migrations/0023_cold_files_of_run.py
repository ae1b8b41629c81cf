"""Finding cold files, and what holds for them, without stopping those who write."""

from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("files", "0022_storage_classes"),
    ]

    operations = [
        AddIndexConcurrently(
            model_name="file",
            index=models.Index(
                fields=["run", "restore_requested_at"],
                condition=models.Q(storage_class="cold", purged_at__isnull=True),
                name="cold_files_of_run",
            ),
        ),
        AddConstraintNotValid(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(storage_class__in=["hot", "cold"]), name="file_storage_class_is_known"
            ),
        ),
        ValidateConstraint(model_name="file", name="file_storage_class_is_known"),
        AddConstraintNotValid(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(storage_class="hot") | models.Q(category="raw", uploaded_at__isnull=False),
                name="cold_file_is_stored_and_raw",
            ),
        ),
        ValidateConstraint(model_name="file", name="cold_file_is_stored_and_raw"),
        AddConstraintNotValid(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(restore_requested_at__isnull=True)
                | models.Q(storage_class="cold", purged_at__isnull=True),
                name="cold_files_alone_are_brought_back",
            ),
        ),
        ValidateConstraint(model_name="file", name="cold_files_alone_are_brought_back"),
    ]
