"""What a run looks like at a glance, as rows: one small picture of one of its artefacts."""

from django.db import models
from django.db.models import F, Func, Q
from django.db.models.lookups import Range

from accounts.callers import Caller
from files.thumbnails.size import MAX_THUMBNAIL_BYTES
from runs.models import Run
from wire.clock import now
from wire.columns import is_hex

DIGEST_DIGITS = 16


class ThumbnailType(models.TextChoices):
    SVG = "image/svg+xml"
    JPEG = "image/jpeg"


class ThumbnailQuerySet(models.QuerySet["Thumbnail"]):
    def visible_to(self, by: Caller) -> "ThumbnailQuerySet":
        return self if by.instrument_ids is None else self.filter(run__instrument_id__in=by.instrument_ids)

    def lasting(self) -> "ThumbnailQuerySet":
        """What they show is there, with the bytes that were drawn."""
        there = self.filter(file__deleted_at__isnull=True, file__purged_at__isnull=True)
        return there.filter(file__storage_key=F("storage_key"))


class Thumbnail(models.Model):
    """Of a run; goes with the artefact that it shows. `digest` is of the picture's bytes and stands in its address."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, primary_key=True, related_name="thumbnail")
    file = models.ForeignKey(
        "files.File", on_delete=models.CASCADE, related_name="+", db_constraint=False
    )  # the migration's own: the database removes the row, whoever deletes the artefact
    storage_key = models.TextField()  # of the bytes it was drawn from: others of the same artefact have another
    content_type = models.CharField(max_length=16, choices=ThumbnailType)
    data = models.BinaryField()
    digest = models.CharField(max_length=DIGEST_DIGITS)
    drawn_at = models.DateTimeField(default=now)

    objects = ThumbnailQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    Range(
                        Func(F("data"), function="octet_length", output_field=models.IntegerField()),
                        (1, MAX_THUMBNAIL_BYTES),
                    )
                ),
                name="thumbnail_is_small",
            ),
            models.CheckConstraint(condition=Q(content_type__in=ThumbnailType.values), name="thumbnail_type_is_known"),
            models.CheckConstraint(condition=is_hex("digest", digits=DIGEST_DIGITS), name="thumbnail_digest_is_hex"),
        ]

    def __str__(self) -> str:
        return f"thumbnail of run {self.run_id}"
