import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Other bytes for a path that has some become a record of their own, which names the first one."""

    dependencies = [("files", "0009_names_of_columns")]

    operations = [
        migrations.AddField(
            model_name="file",
            name="version",
            field=models.IntegerField(db_default=1, default=1, editable=False),
        ),
        migrations.AddField(
            model_name="file",
            name="version_of",
            field=models.ForeignKey(
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="later_versions",
                to="files.file",
            ),
        ),
        migrations.AddIndex(
            model_name="file",
            index=models.Index(
                condition=models.Q(("version_of__isnull", False)),
                fields=["run", "version_of", "version"],
                name="later_versions_of_run",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.UniqueConstraint(
                condition=models.Q(("version_of__isnull", False)),
                fields=("version_of", "version"),
                name="one_file_per_version",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("version", 1), ("version_of__isnull", True)),
                    models.Q(("version__gt", 1), ("version_of__isnull", False)),
                    _connector="OR",
                ),
                name="later_version_has_a_first",
            ),
        ),
    ]
