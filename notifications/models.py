"""Notifications: the inbox, each person's preferences, and the outbox from which announcements go out."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from accounts.callers import Caller
from accounts.models import User
from accounts.trail.rows import audited
from instruments.models import Instrument
from notifications.digests.models import Digest as Digest
from notifications.rules.models import NotificationRule as NotificationRule
from runs.models import Comment, Run
from wire.clock import now
from wire.columns import has_length, is_hex
from wire.ids import new_id


class NotificationKind(models.TextChoices):
    RUN_CREATED = "run_created", "New run"
    RUN_FAILED = "run_failed", "Failed run"
    COMMENT = "comment", "Comment"
    MENTION = "mention", "Mention"
    GENERIC = "generic", "Message"
    WATCHER_OFFLINE = "watcher_offline", "Watcher offline"
    WATCHER_ONLINE = "watcher_online", "Watcher online"
    FOLDER_AWAY = "folder_away", "Folder away"
    NO_FILES = "no_files", "No new files"
    INSTANCE_CONFLICT = "instance_conflict", "Two computers as one watcher"
    FEEDBACK_UPDATED = "feedback_updated", "Feedback"
    RUN_COMPLETED = "run_completed", "Completed run"
    FILE_FAILED = "file_failed", "Failed file"
    ARCHIVE_READY = "archive_ready", "Archive ready"


RULED_KINDS = {NotificationKind.RUN_COMPLETED, NotificationKind.FILE_FAILED, NotificationKind.ARCHIVE_READY}
CHOSEN_KINDS = [kind for kind in NotificationKind if kind not in RULED_KINDS]  # the others reach people by rules alone


class SenderKind(models.TextChoices):
    TOKEN = "token"
    PERSON = "person"
    SERVICE = "service"


class NotificationQuerySet(models.QuerySet["Notification"]):
    def visible_to(self, by: Caller) -> "NotificationQuerySet":
        """A person sees what was sent to them, but of instruments hidden since; tokens see nothing."""
        mine = self.filter(recipient=by.user) if by.user else self.none()
        if by.instrument_ids is None:
            return mine
        seen = list(by.instrument_ids)
        of_run = Q(run__isnull=True) | Q(run__instrument_id__in=seen)
        return mine.filter(of_run, Q(instrument_ids__isnull=True) | Q(instrument_ids__contained_by=seen))

    def unread(self) -> "NotificationQuerySet":
        return self.filter(read_at__isnull=True)

    def shown_in_app(self) -> "NotificationQuerySet":
        """Not hidden by the recipient's settings when it was sent."""
        return self.filter(in_app=True)


class Notification(models.Model):
    """One message to one person. An exact repeat of an unread one is not stored again: the database decides."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    recipient = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notifications", db_index=False)
    kind = models.CharField(max_length=32, choices=NotificationKind)
    message = models.TextField()
    message_sha256 = models.CharField(max_length=64, editable=False)
    sender_kind = models.CharField(max_length=7, choices=SenderKind)
    sender_id = models.UUIDField(null=True)
    sender_name = models.CharField(max_length=100)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    instrument_ids = ArrayField(models.CharField(max_length=64), null=True, editable=False)  # it speaks of; null: none
    in_app = models.BooleanField(default=True)
    read_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=now, editable=False)

    objects = NotificationQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["recipient", "-created_at", "-id"], condition=Q(in_app=True), name="inbox_by_time"),
            models.Index(fields=["recipient"], condition=Q(in_app=True, read_at__isnull=True), name="inbox_unread"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "message_sha256", "kind", "sender_id", "run"],
                condition=Q(read_at__isnull=True),
                nulls_distinct=False,
                name="one_unread_copy_of_a_notification",
            ),
            models.CheckConstraint(condition=Q(kind__in=NotificationKind.values), name="notification_kind_is_known"),
            models.CheckConstraint(condition=Q(sender_kind__in=SenderKind.values), name="notification_sender_is_known"),
            models.CheckConstraint(condition=is_hex("message_sha256", digits=64), name="notification_digest_is_sha256"),
            models.CheckConstraint(
                condition=has_length("message", least=1, most=2_000), name="notification_message_length"
            ),
        ]

    def __str__(self) -> str:
        return self.message[:60]

    @property
    def worded_by(self) -> str:
        """Whose words the message is; empty where they are the service's, which names people itself."""
        is_own = self.kind == NotificationKind.GENERIC and self.sender_kind != SenderKind.SERVICE
        return self.sender_name if is_own else ""


@audited("user", "kind", "in_app", "chat", "email", "email_daily", set_later=("email", "email_daily"))
class Preference(models.Model):
    """By which channels a person is notified of one kind, where that differs from the default."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notification_preferences", db_index=False)
    kind = models.CharField(max_length=32, choices=NotificationKind)
    in_app = models.BooleanField()
    chat = models.BooleanField()
    email = models.BooleanField(default=False, db_default=False)
    email_daily = models.BooleanField(default=False, db_default=False)  # all of a day in one mail

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind"], name="one_preference_per_person_and_kind"),
            models.CheckConstraint(condition=Q(kind__in=NotificationKind.values), name="preference_kind_is_known"),
            models.CheckConstraint(
                condition=~Q(kind=NotificationKind.GENERIC) | Q(in_app=True) | Q(chat=True) | Q(email=True),
                name="generic_reaches_somewhere",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.kind}"


class FollowQuerySet(models.QuerySet["Follow"]):
    def visible_to(self, by: Caller) -> "FollowQuerySet":
        """One's own, of instruments that one still sees."""
        mine = self.filter(user=by.user) if by.user else self.none()
        return mine if by.instrument_ids is None else mine.filter(instrument_id__in=by.instrument_ids)


@audited("user", "instrument")
class Follow(models.Model):
    """A person is notified of what happens on an instrument."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="follows", db_index=False)
    instrument = models.ForeignKey(Instrument, on_delete=models.CASCADE, related_name="followers")

    objects = FollowQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "instrument"], name="one_follow_per_instrument")]

    def __str__(self) -> str:
        return f"{self.user_id} follows {self.instrument_id}"


class AnnouncementQuerySet(models.QuerySet["Announcement"]):
    def visible_to(self, by: Caller) -> "AnnouncementQuerySet":
        if by.instrument_ids is None:
            return self
        of_run = Q(run__isnull=True) | Q(run__instrument_id__in=by.instrument_ids)
        return self.filter(of_run, Q(instrument__isnull=True) | Q(instrument_id__in=by.instrument_ids))


class Announcement(models.Model):
    """The outbox: something happened that people may want to know. Written with the event itself, delivered after."""

    id = models.BigAutoField(primary_key=True)
    kind = models.CharField(max_length=32, choices=NotificationKind)
    message = models.TextField()
    sender_kind = models.CharField(max_length=7, choices=SenderKind, default=SenderKind.SERVICE)
    sender_id = models.UUIDField(null=True)
    sender_name = models.CharField(max_length=100)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    instrument = models.ForeignKey(Instrument, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    recipient_ids = ArrayField(models.UUIDField(), null=True, editable=False)  # of what is for these people alone
    joined_to = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="joined", db_index=False)
    created_at = models.DateTimeField(default=now, editable=False)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, db_column="retry_at")
    delivered_at = models.DateTimeField(null=True)
    error_message = models.TextField(blank=True)

    objects = AnnouncementQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["id"], condition=Q(delivered_at__isnull=True), name="announcements_waiting"),
            models.Index(fields=["delivered_at"], name="announcements_delivered"),
            models.Index(fields=["joined_to"], condition=Q(joined_to__isnull=False), name="announcements_joined"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=NotificationKind.values), name="announcement_kind_is_known"),
            models.CheckConstraint(condition=~Q(joined_to=F("pk")), name="announcement_joins_another"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.message[:60]}"


class ChatDelivery(models.Model):
    """A message on its way to somebody's chat. One of four: waiting, sent, refused for good, or given up."""

    notification = models.OneToOneField(Notification, on_delete=models.CASCADE, related_name="chat_delivery")
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, db_column="retry_at")
    sent_at = models.DateTimeField(null=True)
    refused_at = models.DateTimeField(null=True)
    error_message = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "chat deliveries"
        indexes = [
            models.Index(
                fields=["id"],
                condition=Q(sent_at__isnull=True, refused_at__isnull=True),
                name="chat_deliveries_waiting",
            ),
            models.Index(fields=["-refused_at"], condition=Q(refused_at__isnull=False), name="chat_deliveries_refused"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(refused_at__isnull=True), name="chat_delivery_ends_one_way"
            )
        ]

    def __str__(self) -> str:
        return f"chat delivery {self.pk}"


class EmailDelivery(models.Model):
    """A message on its way to somebody's mailbox. One of four: waiting, sent, refused for good, or given up."""

    notification = models.OneToOneField(Notification, on_delete=models.CASCADE, related_name="email_delivery")
    is_daily = models.BooleanField(default=False, db_default=False)  # it waits for a digest, and goes with it
    digest = models.ForeignKey(Digest, on_delete=models.CASCADE, null=True, related_name="deliveries", db_index=False)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    refused_at = models.DateTimeField(null=True)
    error_message = models.TextField(blank=True)

    class Meta:
        verbose_name_plural = "e-mail deliveries"
        indexes = [
            models.Index(
                fields=["id"],
                condition=Q(sent_at__isnull=True, refused_at__isnull=True),
                name="email_deliveries_waiting",
            ),
            models.Index(fields=["digest"], condition=Q(digest__isnull=False), name="email_deliveries_of_digest"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(refused_at__isnull=True), name="email_delivery_ends_one_way"
            )
        ]

    def __str__(self) -> str:
        return f"e-mail delivery {self.pk}"
