"""Reading stored bytes again, as rows: when each file's turn was, and what was found."""

from django.db import models
from django.db.models import F, Q


class FileScrub(models.Model):
    """When the stored bytes of a file were compared with its row last; beside the files, which are asked all day."""

    file = models.OneToOneField(
        "files.File", on_delete=models.CASCADE, primary_key=True, related_name="scrub", db_index=False
    )
    scrubbed_at = models.DateTimeField()  # at first when the bytes came, which was a comparison too
    attempts = models.IntegerField(default=0)
    lease_id = models.UUIDField(null=True, editable=False)
    lease_until = models.DateTimeField(null=True, editable=False)
    error_message = models.TextField(blank=True, default="")

    class Meta:
        indexes = (
            models.Index(fields=["scrubbed_at", "file"], name="scrubs_by_age"),
            models.Index(fields=["lease_until"], condition=Q(lease_until__isnull=False), name="scrubs_at_work"),
        )

    def __str__(self) -> str:
        return f"file {self.file_id}, read at {self.scrubbed_at:%Y-%m-%d %H:%M}"


class FindingKind(models.TextChoices):
    MISSING = "missing", "Missing"
    DAMAGED = "damaged", "Damaged"


class HealedFrom(models.TextChoices):
    REPLICA = "replica", "from the replica"
    ELSEWHERE = "elsewhere", "not by the service"  # a later reading found it sound: somebody put the bytes back


class IntegrityFinding(models.Model):
    """Stored bytes that are not what their row says. It stays when it is healed: it says what the store once did."""

    file = models.ForeignKey("files.File", on_delete=models.CASCADE, related_name="integrity_findings")
    kind = models.CharField(max_length=7, choices=FindingKind)
    storage_key = models.TextField()
    expected = models.TextField(blank=True, default="")  # the sum, or the bytes, of the row
    found = models.TextField(blank=True, default="")  # nothing where nothing could be read
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    not_healed_because = models.TextField(blank=True, default="")
    healed_at = models.DateTimeField(null=True)
    healed_from = models.CharField(max_length=9, choices=HealedFrom, blank=True, default="")

    class Meta:
        indexes = (
            models.Index(
                fields=["last_seen_at"], condition=Q(healed_at__isnull=True), name="open_findings_by_last_sight"
            ),
            models.Index(fields=["-first_seen_at"], name="newest_findings"),
        )
        constraints = (
            models.UniqueConstraint(
                fields=["file"], condition=Q(healed_at__isnull=True), name="one_open_finding_per_file"
            ),
            models.CheckConstraint(condition=Q(kind__in=FindingKind.values), name="finding_kind_is_known"),
            models.CheckConstraint(
                condition=Q(last_seen_at__gte=F("first_seen_at")), name="finding_is_seen_again_later"
            ),
            models.CheckConstraint(
                condition=Q(healed_at__isnull=True, healed_from="")
                | Q(healed_at__isnull=False, healed_at__gte=F("first_seen_at"), healed_from__in=HealedFrom.values),
                name="healed_finding_says_from_where",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.storage_key}"
