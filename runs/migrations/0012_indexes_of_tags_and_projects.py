from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False  # runs are written while the indexes are built

    dependencies = [("runs", "0011_tags_and_projects")]

    operations = [
        AddIndexConcurrently(model_name="run", index=GinIndex(fields=["tags"], name="runs_by_tag")),
        AddIndexConcurrently(
            model_name="run",
            index=models.Index(
                condition=models.Q(("deleted_at__isnull", True), ("project__isnull", False)),
                fields=["project", "-happened_at", "-id"],
                name="runs_of_project_by_time",
            ),
        ),
        AddConstraintNotValid(
            model_name="run",
            constraint=models.CheckConstraint(condition=models.Q(("tags__len__lte", 30)), name="run_has_few_tags"),
        ),
        ValidateConstraint(model_name="run", name="run_has_few_tags"),
    ]
