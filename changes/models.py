"""The log of what happened, in the order in which it was committed, and how far it is kept and told.

The database writes it by itself (changes/triggers.py); nobody else does. It names things and has no foreign keys: it
outlives what it tells of, and a row costs no look-up.
"""

from django.db import models
from django.db.models import Q

from accounts.callers import Caller
from changes.webhooks.models import Webhook as Webhook
from changes.webhooks.models import WebhookDelivery as WebhookDelivery
from wire.columns import has_length


class ChangeType(models.TextChoices):
    RUN_CREATED = "run.created", "A run was reported"
    RUN_COMPLETED = "run.completed", "All files of a run are read"
    RUN_FAILED = "run.failed", "A file of a run failed"
    RUN_DELETED = "run.deleted", "A run was deleted"
    RUN_RESTORED = "run.restored", "A deleted run is back"
    RUN_PURGED = "run.purged", "A deleted run is gone for good"
    FILE_UPLOADED = "file.uploaded", "A file is stored"
    FILE_COMPLETED = "file.completed", "A file was read"
    FILE_FAILED = "file.failed", "A file failed"
    FILE_PURGED = "file.purged", "The bytes of a file went by a rule of retention"
    COMMENT_CREATED = "comment.created", "Somebody commented on a run"
    ARCHIVE_READY = "archive.ready", "An archive can be downloaded"
    ARCHIVE_FAILED = "archive.failed", "An archive could not be built"
    INSTRUMENT_PENDING = "instrument.pending", "An instrument waits to be confirmed"
    WATCHER_REGISTERED = "watcher.registered", "A watcher registered"
    WATCHER_OFFLINE = "watcher.offline", "A watcher fell silent"
    WATCHER_ONLINE = "watcher.online", "A watcher is back"


class ChangeQuerySet(models.QuerySet["Change"]):
    def visible_to(self, by: Caller) -> "ChangeQuerySet":
        return self if by.instrument_ids is None else self.filter(instrument_id__in=by.instrument_ids)


class Change(models.Model):
    """One thing that happened. A position that can be read is final: none below it appears later."""

    position = models.BigAutoField(primary_key=True)
    type = models.CharField(max_length=32, choices=ChangeType)
    at = models.DateTimeField()
    instrument_id = models.CharField(max_length=64, db_collation="C")
    run_id = models.CharField(max_length=255, null=True, db_collation="C")  # its name, as in addresses
    file_id = models.BigIntegerField(null=True)
    comment_id = models.UUIDField(null=True)
    archive_job_id = models.UUIDField(null=True)
    watcher_id = models.UUIDField(null=True)

    objects = ChangeQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["instrument_id", "position"], name="changes_of_instrument"),
            models.Index(fields=["type", "position"], name="changes_of_type"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(type__in=ChangeType.values), name="change_type_is_known"),
            models.CheckConstraint(
                condition=has_length("instrument_id", least=1, most=64), name="change_names_an_instrument"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.type} of {self.instrument_id}"


class LogState(models.Model):
    """How far the log was forgotten and how far it went out to webhooks; one row."""

    id = models.IntegerField(primary_key=True, default=1)
    forgotten_to = models.BigIntegerField(default=0)  # the last position that is not kept any more
    sent_to = models.BigIntegerField(default=0)  # the last position that webhooks have a delivery of

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_state_of_the_log")]

    def __str__(self) -> str:
        return f"forgotten to {self.forgotten_to}, sent to {self.sent_to}"
