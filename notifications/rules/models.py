"""What a person wants to hear of beyond what they hear anyway, as rules of their own."""

from django.db import models
from django.db.models import Exists, OuterRef, Q

from accounts.callers import Caller
from accounts.models import User
from accounts.trail.rows import audited
from instruments.models import Instrument
from runs.projects.models import Project
from wire.clock import now
from wire.ids import new_id


class RuleEvent(models.TextChoices):
    RUN_COMPLETED = "run_completed", "is completed"
    RUN_FAILED = "run_failed", "fails"
    FILE_FAILED = "file_failed", "has a file that cannot be read"
    COMMENT = "comment", "is commented on"
    ARCHIVE_READY = "archive_ready", "is packed for download"
    WATCHER_SILENT = "watcher_silent", "falls silent"


class Whose(models.TextChoices):
    ANYBODY = "anybody", "any run"
    MINE = "mine", "a run of mine"
    PERSON = "person", "a run of"


class RuleQuerySet(models.QuerySet["NotificationRule"]):
    def visible_to(self, by: Caller) -> "RuleQuerySet":
        """One's own, of instruments and projects that one still sees."""
        mine = self.filter(user=by.user) if by.user else self.none()
        if by.instrument_ids is None:
            return mine
        projects = Project.objects.visible_to(by).filter(pk=OuterRef("project"))
        seen = Q(instrument__isnull=True) | Q(instrument_id__in=by.instrument_ids)
        return mine.filter(seen, Q(project__isnull=True) | Exists(projects))


@audited("user", "event", "whose", "person", "instrument", "project", "tag", "in_app", "email", "paused_at")
class NotificationRule(models.Model):
    """When this happens to such a run, or to a watcher, tell its owner. All that it names must hold."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notification_rules")
    event = models.CharField(max_length=16, choices=RuleEvent)
    whose = models.CharField(max_length=8, choices=Whose, default=Whose.ANYBODY)
    person = models.ForeignKey(User, on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False)
    instrument = models.ForeignKey(
        Instrument, on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    project = models.ForeignKey(
        Project, on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    tag = models.CharField(max_length=64, blank=True, default="")
    in_app = models.BooleanField(default=True)
    email = models.BooleanField(default=False)
    paused_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=now, editable=False)

    objects = RuleQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["event"], condition=Q(paused_at__isnull=True), name="rules_by_event")]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "event", "whose", "person", "instrument", "project", "tag"],
                nulls_distinct=False,
                name="one_rule_per_wish",
            ),
            models.CheckConstraint(condition=Q(event__in=RuleEvent.values), name="rule_event_is_known"),
            models.CheckConstraint(
                condition=Q(whose=Whose.PERSON, person__isnull=False)
                | Q(whose__in=[Whose.ANYBODY, Whose.MINE], person__isnull=True),
                name="rule_names_a_person_or_none",
            ),
            models.CheckConstraint(
                condition=~Q(event=RuleEvent.WATCHER_SILENT) | Q(whose=Whose.ANYBODY, project__isnull=True, tag=""),
                name="rule_of_a_watcher_names_an_instrument_or_none",
            ),
            models.CheckConstraint(condition=Q(in_app=True) | Q(email=True), name="rule_reaches_somewhere"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.event}"
