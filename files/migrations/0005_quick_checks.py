import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("files", "0004_search_by_name")]

    operations = [
        migrations.RemoveConstraint(
            model_name="file",
            name="file_sha256_is_hex",
        ),
        migrations.RemoveConstraint(
            model_name="file",
            name="file_crc32_is_hex",
        ),
        migrations.RemoveConstraint(
            model_name="uploadpart",
            name="upload_part_crc32_is_hex",
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("sha256"), 64),
                    models.Q(("sha256__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="file_sha256_is_hex",
            ),
        ),
        migrations.AddConstraint(
            model_name="file",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("crc32"), 8),
                    models.Q(("crc32__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="file_crc32_is_hex",
            ),
        ),
        migrations.AddConstraint(
            model_name="uploadpart",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("crc32"), 8),
                    models.Q(("crc32__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="upload_part_crc32_is_hex",
            ),
        ),
    ]
