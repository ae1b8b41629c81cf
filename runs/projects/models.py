"""What runs are gathered under: a study, a thesis, an order."""

from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Lower

from accounts.callers import Caller
from accounts.trail.rows import audited
from runs.eln.models import BEGINS_AS_AN_ADDRESS, MAX_TEMPLATE_CHARS
from wire.clock import now
from wire.columns import has_length
from wire.ids import new_id


class ProjectQuerySet(models.QuerySet["Project"]):
    def visible_to(self, by: Caller) -> "ProjectQuerySet":
        """Those with a run that the caller may see, deleted ones too, and those without any."""
        if by.instrument_ids is None:
            return self
        runs = Project._meta.get_field("runs").related_model._default_manager.filter(project=OuterRef("pk"))
        return self.filter(Exists(runs.filter(instrument_id__in=by.instrument_ids)) | ~Exists(runs))


@audited("name", "description", "link", "archived_at", "eln_template", set_later=("eln_template",))
class Project(models.Model):
    """One project. An archived one keeps its runs and takes no more."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    name = models.CharField(max_length=255)
    description = models.TextField(blank=True, default="")
    link = models.CharField(max_length=2_000, null=True, blank=True)
    eln_template = models.CharField(max_length=MAX_TEMPLATE_CHARS, null=True, blank=True)  # instead of the common one
    archived_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=now, editable=False)

    objects = ProjectQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(Lower("name"), name="one_project_per_name"),
            models.CheckConstraint(condition=has_length("name", least=1, most=255), name="project_has_a_name"),
            models.CheckConstraint(
                condition=Q(eln_template__isnull=True) | Q(eln_template__regex=BEGINS_AS_AN_ADDRESS),
                name="project_eln_template_is_an_address",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def changeable_values(self) -> tuple[Any, ...]:
        """What its version for If-Match is made of."""
        return self.name, self.description, self.link, self.eln_template, self.archived_at
