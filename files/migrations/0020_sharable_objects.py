import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models

import wire.clock


class Migration(migrations.Migration):
    dependencies = [
        ("files", "0019_thumbnails"),
        ("runs", "0018_project_visibility"),
    ]

    operations = [
        migrations.CreateModel(
            name="SharableObject",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("storage_key", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                ("size_bytes", models.BigIntegerField()),
                (
                    "instrument_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), null=True, size=None),
                ),
                ("verified_at", models.DateTimeField(null=True)),
                ("requested_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("attempts", models.IntegerField(default=0)),
                ("lease_id", models.UUIDField(editable=False, null=True)),
                ("lease_until", models.DateTimeField(editable=False, null=True)),
                ("error_message", models.TextField(blank=True, null=True)),
            ],
        ),
        migrations.AddField(
            model_name="sharableobject",
            name="file",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="sharable_objects", to="files.file"
            ),
        ),
        migrations.AddIndex(
            model_name="sharableobject",
            index=models.Index(fields=["sha256", "size_bytes"], name="sharable_objects_by_bytes"),
        ),
        migrations.AddIndex(
            model_name="sharableobject",
            index=models.Index(
                condition=models.Q(("verified_at__isnull", True)),
                fields=["requested_at"],
                name="sharable_objects_to_verify",
            ),
        ),
        migrations.AddConstraint(
            model_name="sharableobject",
            constraint=models.UniqueConstraint(fields=("storage_key",), name="one_sharable_object_per_key"),
        ),
        migrations.AddConstraint(
            model_name="sharableobject",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    django.db.models.lookups.Exact(django.db.models.functions.text.Length("sha256"), 64),
                    models.Q(("sha256__regex", "[^0-9a-f]"), _negated=True),
                ),
                name="sharable_object_sha256_is_hex",
            ),
        ),
    ]
