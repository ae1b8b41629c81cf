# online: a new table, empty, so that its key is added without a look at the files

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models

import wire.clock

GOES_WITH_ITS_FILE = """
    ALTER TABLE files_thumbnail ADD CONSTRAINT thumbnail_goes_with_its_file
        FOREIGN KEY (file_id) REFERENCES files_file (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
"""


class Migration(migrations.Migration):
    """One small picture for each run. Empty at first: readings fill it, and `draw_thumbnails` what was read before."""

    dependencies = [
        ("files", "0018_integrity_of_stored_bytes"),
        ("runs", "0022_share_links"),
    ]

    operations = [
        migrations.CreateModel(
            name="Thumbnail",
            fields=[
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="thumbnail",
                        serialize=False,
                        to="runs.run",
                    ),
                ),
                ("storage_key", models.TextField()),
                (
                    "content_type",
                    models.CharField(choices=[("image/svg+xml", "Svg"), ("image/jpeg", "Jpeg")], max_length=16),
                ),
                ("data", models.BinaryField()),
                ("digest", models.CharField(max_length=16)),
                ("drawn_at", models.DateTimeField(default=wire.clock.now)),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        db_constraint=False,
                        related_name="+",
                        to="files.file",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Range(
                                models.Func(
                                    models.F("data"), function="octet_length", output_field=models.IntegerField()
                                ),
                                (1, 4096),
                            )
                        ),
                        name="thumbnail_is_small",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("content_type__in", ["image/svg+xml", "image/jpeg"])),
                        name="thumbnail_type_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            django.db.models.lookups.Exact(django.db.models.functions.text.Length("digest"), 16),
                            models.Q(("digest__regex", "[^0-9a-f]"), _negated=True),
                        ),
                        name="thumbnail_digest_is_hex",
                    ),
                ],
            },
        ),
        migrations.RunSQL(GOES_WITH_ITS_FILE, migrations.RunSQL.noop),
    ]
