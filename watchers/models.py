"""The agents that stand beside the instruments, and what they say."""

from datetime import datetime

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from accounts.callers import Caller
from accounts.models import Token
from accounts.trail.rows import audited
from instruments.models import Instrument
from watchers import triggers
from watchers.choices import (
    OFFLINE_AFTER,
    UNWATCHED_STATES,
    Channel,
    EventType,
    FolderState,
    UploadMode,
    WatcherStatus,
)
from watchers.enrolment_models import EnrolmentCode as EnrolmentCode
from watchers.release_models import ReleaseInstaller as ReleaseInstaller
from watchers.release_models import WatcherRelease as WatcherRelease
from watchers.wanted_config_models import WantedConfig as WantedConfig
from wire.clock import now
from wire.columns import is_hex
from wire.ids import new_id


class WatcherQuerySet(models.QuerySet["Watcher"]):
    def visible_to(self, by: Caller) -> "WatcherQuerySet":
        return self if by.instrument_ids is None else self.filter(instrument_id__in=by.instrument_ids)

    def active(self) -> "WatcherQuerySet":
        return self.filter(deleted_at__isnull=True)

    def with_details(self) -> "WatcherQuerySet":
        """With all that is shown of a watcher, in one query."""
        heavy = ("config_yaml", "file_patterns", "wanted_config__config_yaml")
        return self.select_related("instrument", "wanted_config").defer(*heavy)

    def online(self, at: datetime) -> "WatcherQuerySet":
        """Watching, and heard of late."""
        return self.active().filter(status=WatcherStatus.WATCHING, last_heartbeat_at__gt=at - OFFLINE_AFTER)

    def offline(self, at: datetime) -> "WatcherQuerySet":
        """Should be watching, and silent for too long."""
        return self.active().filter(status=WatcherStatus.WATCHING, last_heartbeat_at__lte=at - OFFLINE_AFTER)


@audited(
    *("token", "hostname", "os_info", "agent_version", "channel", "status", "upload_mode", "watch_directory"),
    *("config_checksum", "file_patterns", "instance_id", "folder_state", "deleted_at"),
    also_recorded=("config_yaml",),  # every heartbeat would compare it whole
    parent="instrument",
)
class Watcher(models.Model):
    """An agent attached to one instrument. It answers to the token that registered it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    instrument = models.ForeignKey(Instrument, on_delete=models.PROTECT, related_name="watchers")
    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="watchers", db_index=False)
    hostname = models.CharField(max_length=255, null=True, blank=True)
    os_info = models.CharField(max_length=255, null=True, blank=True)
    agent_version = models.CharField(max_length=64, null=True, blank=True)
    channel = models.CharField(max_length=6, choices=Channel, default=Channel.STABLE)
    status = models.CharField(max_length=10, choices=WatcherStatus, default=WatcherStatus.REGISTERED)
    upload_mode = models.CharField(max_length=6, choices=UploadMode, default=UploadMode.AUTO)
    watch_directory = models.TextField(null=True, blank=True)
    last_heartbeat_at = models.DateTimeField(null=True, editable=False)
    offline_announced_at = models.DateTimeField(null=True, editable=False)  # set while people believe it is offline
    instance_id = models.UUIDField(null=True, editable=False)  # of the one installation whose heartbeats count
    other_instance_id = models.UUIDField(null=True, editable=False)  # that sent one too, until an admin settles it
    instance_conflict_at = models.DateTimeField(null=True, editable=False)
    folder_state = models.CharField(max_length=11, choices=FolderState, null=True, editable=False)
    folder_away_since = models.DateTimeField(null=True, editable=False)  # by the server's clock, while it is unwatched
    folder_away_announced_at = models.DateTimeField(null=True, editable=False)
    folder_last_scan_at = models.DateTimeField(null=True, editable=False)  # this and the next by the agent's clock
    folder_last_file_at = models.DateTimeField(null=True, editable=False)
    folder_files_waiting = models.BigIntegerField(null=True, editable=False)
    folder_bytes_waiting = models.BigIntegerField(null=True, editable=False)
    no_files_announced_at = models.DateTimeField(null=True, editable=False)
    config_yaml = models.TextField(null=True, blank=True)
    config_checksum = models.CharField(max_length=64, null=True, editable=False)
    config_updated_at = models.DateTimeField(null=True, editable=False)
    file_patterns = ArrayField(models.TextField(), default=list, blank=True)
    created_at = models.DateTimeField(default=now, editable=False)
    updated_at = models.DateTimeField(default=now, editable=False)
    deleted_at = models.DateTimeField(null=True, blank=True)

    objects = WatcherQuerySet.as_manager()

    class Meta:
        triggers = triggers.ON_WATCHERS
        constraints = [
            models.UniqueConstraint(
                fields=["instrument"], condition=Q(deleted_at__isnull=True), name="one_active_watcher_per_instrument"
            ),
            models.CheckConstraint(condition=Q(status__in=WatcherStatus.values), name="watcher_status_is_known"),
            models.CheckConstraint(condition=Q(upload_mode__in=UploadMode.values), name="watcher_upload_mode_is_known"),
            models.CheckConstraint(condition=Q(channel__in=Channel.values), name="watcher_channel_is_known"),
            models.CheckConstraint(
                condition=~Q(status=WatcherStatus.WATCHING) | Q(last_heartbeat_at__isnull=False),
                name="watching_watcher_was_heard",
            ),
            models.CheckConstraint(
                condition=is_hex("config_checksum", digits=64), name="watcher_config_checksum_is_sha256"
            ),
            models.CheckConstraint(
                condition=Q(config_yaml__isnull=True, config_checksum__isnull=True, config_updated_at__isnull=True)
                | Q(config_yaml__isnull=False, config_checksum__isnull=False, config_updated_at__isnull=False),
                name="watcher_config_comes_whole",
            ),
            models.CheckConstraint(
                condition=Q(other_instance_id__isnull=True, instance_conflict_at__isnull=True)
                | Q(instance_id__isnull=False, other_instance_id__isnull=False, instance_conflict_at__isnull=False)
                & ~Q(other_instance_id=F("instance_id")),
                name="instance_conflict_names_two",
            ),
            models.CheckConstraint(
                condition=Q(folder_state__in=FolderState.values), name="watcher_folder_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(folder_state__in=UNWATCHED_STATES, folder_state__isnull=False)
                & Q(folder_away_since__isnull=False)
                | ~Q(folder_state__in=UNWATCHED_STATES) & Q(folder_away_since__isnull=True),
                name="unwatched_folder_has_a_begin",
            ),
            models.CheckConstraint(
                condition=Q(folder_files_waiting__gte=0, folder_bytes_waiting__gte=0),
                name="folder_counts_are_not_negative",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.hostname or self.id} at {self.instrument_id}"


class TakeOver(models.Model):
    """A watcher passed from a token that had ended to the next one that called."""

    watcher = models.ForeignKey(Watcher, on_delete=models.PROTECT, related_name="take_overs")
    former_token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="+", db_index=False)
    token = models.ForeignKey(Token, on_delete=models.PROTECT, related_name="+", db_index=False)
    taken_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=~Q(token=F("former_token")), name="take_over_changes_the_token")
        ]

    def __str__(self) -> str:
        return f"{self.watcher_id} at {self.taken_at:%Y-%m-%d %H:%M}"


REPORTED_COUNTS = ("files_uploaded", "runs_reported", "errors", "uptime_seconds", "queue_depth")


class Heartbeat(models.Model):
    """One sign of life. The table is partitioned by day of `received_at`; see migration 0005 and watchers/partitions.

    In days that were thinned (migration 0022) a row stands for all from `heard_since` on, without a silence in between.
    No foreign key constraint: it would cost a look-up a heartbeat, and a lock on all watchers a new or dropped day.
    """

    id = models.BigAutoField(primary_key=True)
    received_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    watcher = models.ForeignKey(
        Watcher, on_delete=models.DO_NOTHING, related_name="heartbeats", db_constraint=False, db_index=False
    )
    files_uploaded = models.BigIntegerField(null=True)
    runs_reported = models.BigIntegerField(null=True)
    errors = models.BigIntegerField(null=True)
    uptime_seconds = models.BigIntegerField(null=True)
    queue_depth = models.BigIntegerField(null=True)
    status = models.CharField(max_length=10, choices=WatcherStatus)
    upload_mode = models.CharField(max_length=6, choices=UploadMode, null=True)
    agent_version = models.CharField(max_length=64, null=True)
    heard_since = models.DateTimeField(null=True, editable=False)

    class Meta:
        indexes = [models.Index(fields=["watcher", "-received_at", "-id"], name="heartbeats_of_watcher_by_time")]
        constraints = [
            models.CheckConstraint(condition=Q(status__in=WatcherStatus.values), name="heartbeat_status_is_known"),
            models.CheckConstraint(
                condition=Q(upload_mode__in=UploadMode.values), name="heartbeat_upload_mode_is_known"
            ),
            models.CheckConstraint(
                condition=Q(**{f"{name}__gte": 0 for name in REPORTED_COUNTS}), name="heartbeat_counts_are_not_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.watcher_id} {self.status} at {self.received_at:%Y-%m-%d %H:%M:%S}"


class WatcherEvent(models.Model):
    """An event that an agent reported. `event_id` is the client's, so that a repeated batch is known, or ours."""

    id = models.BigAutoField(primary_key=True)
    watcher = models.ForeignKey(Watcher, on_delete=models.PROTECT, related_name="events", db_index=False)
    event_id = models.UUIDField()
    event_type = models.CharField(max_length=32, choices=EventType)
    happened_at = models.DateTimeField()  # by the agent's clock
    message = models.TextField()
    details = models.JSONField(null=True, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["watcher", "-happened_at", "-event_id"], name="events_of_watcher_by_time"),
            models.Index(fields=["received_at"], name="events_by_age"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["watcher", "event_id"], name="one_event_per_watcher_and_id"),
            models.CheckConstraint(condition=Q(event_type__in=EventType.values), name="event_type_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.event_type}: {self.message[:60]}"
