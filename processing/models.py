"""The job of reading a file, and what the reading said. The row is the truth; a queued task only wakes a worker."""

from django.db import models
from django.db.models import Q

from accounts.callers import Caller
from files.models import File
from instruments.models import Instrument
from wire.clock import now
from wire.columns import is_object


class JobState(models.TextChoices):
    WAITING = "waiting"  # for a worker, or for its next attempt
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    NOT_READ = "not_read"  # no reader knows the file, or somebody else took it over


UNFINISHED = (JobState.WAITING, JobState.RUNNING)


class ProcessingJobQuerySet(models.QuerySet["ProcessingJob"]):
    def visible_to(self, by: Caller) -> "ProcessingJobQuerySet":
        return self if by.instrument_ids is None else self.filter(file__run__instrument_id__in=by.instrument_ids)

    def unfinished(self) -> "ProcessingJobQuerySet":
        return self.filter(state__in=UNFINISHED)


class ProcessingJob(models.Model):
    """One for each file that was ever to be read. Asking again makes the same row wait again."""

    file = models.OneToOneField(File, on_delete=models.CASCADE, primary_key=True, related_name="processing_job")
    state = models.CharField(max_length=9, choices=JobState, default=JobState.WAITING)
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    requested_at = models.DateTimeField(default=now)
    instrument = models.ForeignKey(
        Instrument, on_delete=models.CASCADE, null=True, related_name="+", db_index=False, editable=False
    )
    turn = models.BigIntegerField(db_default=0, editable=False)  # the lower is read first: processing/turns.py
    claimed_at = models.DateTimeField(null=True)  # a person asked, or we began: that the file is processed is our doing
    ended_at = models.DateTimeField(null=True)
    request_id = models.CharField(max_length=64, null=True, editable=False)  # who asked: jobs/origins.py
    traceparent = models.CharField(max_length=55, null=True, editable=False)
    processor = models.CharField(max_length=64, blank=True, default="")  # of the last reading
    processor_version = models.CharField(max_length=64, blank=True, default="")
    run_facts = models.JSONField(default=dict, blank=True)  # this file's part of its run's `extracted`
    detail = models.TextField(blank=True, default="")  # behind a failure, for maintainers

    objects = ProcessingJobQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["requested_at"], condition=Q(state__in=UNFINISHED), name="unfinished_processing"),
            models.Index(fields=["turn", "requested_at"], condition=Q(state__in=UNFINISHED), name="processing_by_turn"),
            models.Index(fields=["instrument", "turn"], condition=Q(state__in=UNFINISHED), name="turns_of_instrument"),
        ]
        constraints = [
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="processing_state_is_known"),
            models.CheckConstraint(condition=Q(attempts__gte=0), name="processing_attempts_are_counted"),
            models.CheckConstraint(condition=is_object("run_facts"), name="processing_facts_are_an_object"),
            models.CheckConstraint(
                condition=Q(state__in=UNFINISHED, ended_at__isnull=True)
                | ~Q(state__in=UNFINISHED) & Q(ended_at__isnull=False, lease_id__isnull=True),
                name="processing_ends_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"processing of file {self.file_id}"
