"""Releases of the agent as rows, with the files that bring them to computers."""

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from accounts.trail.rows import audited
from watchers.choices import Channel, InstallerSystem
from watchers.versions import is_older, validate_version
from wire.clock import now
from wire.columns import is_hex


@audited(
    *("channel", "version", "min_supported_version", "mandatory", "notes", "sha256", "size_bytes", "signature"),
    *("wave_percent", "published_at", "withdrawn_at"),
)
class WatcherRelease(models.Model):
    """A version of the agent. Of each channel the one published last is the one its watchers should run: those whose
    place (watchers/update_checks.py) lies within its wave, and none once it is withdrawn.

    `sha256`, `size_bytes` and `signature` (Ed25519, base64) are of the file that agents install. Without a size it is
    not in the store yet, and agents are not told where to fetch it.
    """

    channel = models.CharField(max_length=6, choices=Channel, default=Channel.STABLE)
    version = models.CharField(max_length=64, validators=[validate_version])
    min_supported_version = models.CharField(
        max_length=64, null=True, blank=True, validators=[validate_version], help_text="Older agents are refused (426)."
    )
    mandatory = models.BooleanField(default=False, help_text="Agents update at once, not only when idle.")
    notes = models.TextField(blank=True)
    sha256 = models.CharField(max_length=64, null=True, editable=False)
    size_bytes = models.BigIntegerField(null=True, editable=False)
    signature = models.CharField(max_length=88, null=True, editable=False)
    wave_percent = models.SmallIntegerField(default=100, help_text="Of the watchers, how many are told of it.")
    published_at = models.DateTimeField(null=True, blank=True, help_text="Empty: a draft that no agent is told of.")
    withdrawn_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        indexes = [
            models.Index(
                fields=["channel", "-published_at", "-id"],
                condition=Q(published_at__isnull=False),
                name="published_releases_by_channel",
            )
        ]
        constraints = [
            models.UniqueConstraint(fields=["channel", "version"], name="one_release_per_channel_and_version"),
            models.CheckConstraint(condition=Q(channel__in=Channel.values), name="release_channel_is_known"),
            models.CheckConstraint(
                condition=Q(version__regex=r"^v?[0-9]") & Q(min_supported_version__regex=r"^v?[0-9]"),
                name="release_versions_begin_with_a_number",
            ),
            models.CheckConstraint(condition=is_hex("sha256", digits=64), name="release_sha256_is_sha256"),
            models.CheckConstraint(
                condition=Q(sha256__isnull=True, size_bytes__isnull=True, signature__isnull=True)
                | Q(sha256__isnull=False) & (Q(size_bytes__isnull=True) | Q(size_bytes__gt=0)),
                name="release_file_is_named_by_its_hash",
            ),
            models.CheckConstraint(
                condition=Q(wave_percent__gte=0, wave_percent__lte=100), name="release_wave_is_a_percentage"
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at__isnull=True) | Q(published_at__isnull=False),
                name="withdrawn_release_was_published",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} ({self.channel})"

    def clean(self) -> None:
        if is_older(self.version, than=self.min_supported_version):
            raise ValidationError({"min_supported_version": "The release itself must be supported."})


class ReleaseInstaller(models.Model):
    """A file that brings a release to a computer without an agent."""

    release = models.ForeignKey(WatcherRelease, on_delete=models.CASCADE, related_name="installers", db_index=False)
    system = models.CharField(max_length=7, choices=InstallerSystem)
    filename = models.CharField(max_length=255)
    size_bytes = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "system"], name="one_installer_per_release_and_system"),
            models.CheckConstraint(condition=Q(system__in=InstallerSystem.values), name="installer_system_is_known"),
            models.CheckConstraint(condition=is_hex("sha256", digits=64), name="installer_sha256_is_sha256"),
            models.CheckConstraint(condition=Q(size_bytes__gt=0), name="installer_is_not_empty"),
        ]

    def __str__(self) -> str:
        return self.filename
