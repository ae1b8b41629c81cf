"""What people say of the service itself."""

from django.db import models
from django.db.models import Q

from accounts.callers import Caller
from accounts.models import User
from wire.clock import now
from wire.columns import has_length
from wire.ids import new_id


class FeedbackKind(models.TextChoices):
    BUG = "bug", "Something is broken"
    FEATURE = "feature", "Something is missing"
    OTHER = "other", "Something else"


class FeedbackStatus(models.TextChoices):
    DRAFT = "draft"  # typed here, not in the tracker yet
    OPEN = "open"
    CLOSED = "closed"


class ReportQuerySet(models.QuerySet["Report"]):
    def visible_to(self, by: Caller) -> "ReportQuerySet":
        """Admins see all, others their own, tokens nothing."""
        if by.is_admin:
            return self
        return self.filter(created_by=by.user) if by.user else self.none()


class Report(models.Model):
    """A report, kept here whatever becomes of the tracker."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=7, choices=FeedbackKind)
    title = models.CharField(max_length=200)
    description = models.TextField()
    page_url = models.CharField(max_length=2_000, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="reports")
    created_at = models.DateTimeField(default=now, editable=False)
    status = models.CharField(max_length=6, choices=FeedbackStatus, default=FeedbackStatus.DRAFT)
    repository = models.CharField(max_length=200, blank=True)
    issue_number = models.IntegerField(null=True)
    url = models.CharField(max_length=2_000, blank=True)
    synced_at = models.DateTimeField(null=True)
    error_message = models.TextField(blank=True)

    objects = ReportQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(fields=["synced_at"], condition=Q(status=FeedbackStatus.OPEN), name="reports_to_sync")]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=FeedbackKind.values), name="report_kind_is_known"),
            models.CheckConstraint(condition=has_length("title", least=1, most=200), name="report_title_length"),
            models.CheckConstraint(
                condition=has_length("description", least=1, most=10_000), name="report_description_length"
            ),
            models.CheckConstraint(
                condition=Q(status=FeedbackStatus.DRAFT, issue_number__isnull=True)
                | Q(status__in=[FeedbackStatus.OPEN, FeedbackStatus.CLOSED], issue_number__isnull=False),
                name="report_is_a_draft_or_an_issue",
            ),
        ]

    def __str__(self) -> str:
        return self.title
