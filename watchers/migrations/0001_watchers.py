import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import wire.clock
import wire.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_accounts"),
        ("instruments", "0001_instruments"),
    ]

    operations = [
        migrations.CreateModel(
            name="Watcher",
            fields=[
                ("id", models.UUIDField(default=wire.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ("hostname", models.CharField(blank=True, max_length=255)),
                ("os_info", models.CharField(blank=True, max_length=255)),
                ("agent_version", models.CharField(blank=True, max_length=64)),
                (
                    "status",
                    models.CharField(
                        choices=[("registered", "Registered"), ("watching", "Watching"), ("stopped", "Stopped")],
                        default="registered",
                        max_length=10,
                    ),
                ),
                (
                    "upload_mode",
                    models.CharField(choices=[("auto", "Auto"), ("manual", "Manual")], default="auto", max_length=6),
                ),
                ("watch_directory", models.TextField(blank=True)),
                ("last_heartbeat_at", models.DateTimeField(editable=False, null=True)),
                ("config_yaml", models.TextField(blank=True, null=True)),
                ("config_checksum", models.CharField(editable=False, max_length=64, null=True)),
                ("config_updated_at", models.DateTimeField(editable=False, null=True)),
                (
                    "file_patterns",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(), blank=True, default=list, size=None
                    ),
                ),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("updated_at", models.DateTimeField(default=wire.clock.now, editable=False)),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "instrument",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="watchers",
                        to="instruments.instrument",
                    ),
                ),
                (
                    "token",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="watchers", to="accounts.token"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("deleted_at__isnull", True)),
                        fields=("instrument",),
                        name="one_active_watcher_per_instrument",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("status__in", ["registered", "watching", "stopped"])),
                        name="watcher_status_is_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("upload_mode__in", ["auto", "manual"])), name="watcher_upload_mode_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("config_checksum__regex", "^[0-9a-f]{64}$")),
                        name="watcher_config_checksum_is_sha256",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("config_checksum__isnull", True),
                                ("config_updated_at__isnull", True),
                                ("config_yaml__isnull", True),
                            ),
                            models.Q(
                                ("config_checksum__isnull", False),
                                ("config_updated_at__isnull", False),
                                ("config_yaml__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="watcher_config_comes_whole",
                    ),
                ],
            },
        ),
    ]
