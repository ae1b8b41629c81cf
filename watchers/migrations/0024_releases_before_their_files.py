"""A release may be told of before its file is in the store: then it has a checksum, and no size."""

# online: releases are few, and what the release before writes of them stays possible

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("watchers", "0023_changes_are_recorded")]

    operations = [
        migrations.RemoveConstraint(model_name="watcherrelease", name="release_file_is_told_whole"),
        migrations.AddConstraint(
            model_name="watcherrelease",
            constraint=models.CheckConstraint(
                condition=models.Q(("sha256__isnull", True), ("signature__isnull", True), ("size_bytes__isnull", True))
                | models.Q(
                    ("sha256__isnull", False),
                    models.Q(("size_bytes__isnull", True), ("size_bytes__gt", 0), _connector="OR"),
                ),
                name="release_file_is_named_by_its_hash",
            ),
        ),
    ]
