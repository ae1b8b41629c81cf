from django.db import migrations, models
from django.db.models import Q

import watchers.versions
import wire.clock

CHANNELS = [("stable", "Stable"), ("beta", "Beta")]


class Migration(migrations.Migration):
    dependencies = [("watchers", "0006_events")]

    operations = [
        migrations.AddField("watcher", "channel", models.CharField(choices=CHANNELS, default="stable", max_length=6)),
        migrations.AddConstraint(
            "watcher",
            models.CheckConstraint(condition=Q(channel__in=["stable", "beta"]), name="watcher_channel_is_known"),
        ),
        migrations.CreateModel(
            name="WatcherRelease",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("channel", models.CharField(choices=CHANNELS, default="stable", max_length=6)),
                ("version", models.CharField(max_length=64, validators=[watchers.versions.validate_version])),
                (
                    "min_supported_version",
                    models.CharField(
                        blank=True,
                        help_text="Older agents are refused (426).",
                        max_length=64,
                        null=True,
                        validators=[watchers.versions.validate_version],
                    ),
                ),
                (
                    "mandatory",
                    models.BooleanField(default=False, help_text="Agents update at once, not only when idle."),
                ),
                ("notes", models.TextField(blank=True)),
                (
                    "published_at",
                    models.DateTimeField(blank=True, help_text="Empty: a draft that no agent is told of.", null=True),
                ),
                ("created_at", models.DateTimeField(default=wire.clock.now, editable=False)),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=Q(published_at__isnull=False),
                        fields=["channel", "-published_at", "-id"],
                        name="published_releases_by_channel",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(fields=["channel", "version"], name="one_release_per_channel_and_version"),
                    models.CheckConstraint(
                        condition=Q(channel__in=["stable", "beta"]), name="release_channel_is_known"
                    ),
                    models.CheckConstraint(
                        condition=Q(version__regex="^v?[0-9]") & Q(min_supported_version__regex="^v?[0-9]"),
                        name="release_versions_begin_with_a_number",
                    ),
                ],
            },
        ),
    ]
