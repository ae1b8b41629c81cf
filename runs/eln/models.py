"""Where the laboratory's notebook has what a run belongs to."""

from django.db import models
from django.db.models import Q

from accounts.models import User
from accounts.trail.rows import audited
from wire.clock import now

MAX_TEMPLATE_CHARS = 2_000
BEGINS_AS_AN_ADDRESS = r"^https?://[^{}/]+/"


@audited("template", "changed_by")
class ElnTemplate(models.Model):
    """The template of the whole installation: one row, or none. A project may have its own."""

    id = models.SmallIntegerField(primary_key=True, default=1, editable=False)
    template = models.CharField(max_length=MAX_TEMPLATE_CHARS)
    changed_by = models.ForeignKey(User, on_delete=models.PROTECT, null=True, related_name="+", db_index=False)
    changed_at = models.DateTimeField(default=now, editable=False)

    class Meta:
        verbose_name = "ELN template"
        constraints = [
            models.CheckConstraint(condition=Q(id=1), name="one_eln_template"),
            models.CheckConstraint(
                condition=Q(template__regex=BEGINS_AS_AN_ADDRESS), name="eln_template_is_an_address"
            ),
        ]

    def __str__(self) -> str:
        return self.template
