"""Views that people saved: a name for what the run list looks for and how it shows it."""

from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q, TextField, Value
from django.db.models.functions import Cast, Concat, Lower, StrIndex

from accounts.callers import Caller
from accounts.models import User
from accounts.trail.rows import audited
from instruments.models import Instrument
from runs.projects.models import Project
from wire.clock import now
from wire.columns import has_length
from wire.ids import new_id

MAX_NAME_CHARACTERS, MAX_QUERY_CHARACTERS = 80, 2_000


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    def visible_to(self, by: Caller) -> "SavedViewQuerySet":
        """One's own and those that are shared, but none that names an instrument or a project that is hidden."""
        mine = self.filter(Q(is_shared=True) | Q(owner=by.user) if by.user else Q(is_shared=True))
        if by.instrument_ids is None:
            return mine
        instruments = Instrument.objects.exclude(pk__in=by.instrument_ids)
        projects = Project.objects.exclude(pk__in=Project.objects.visible_to(by).values("pk"))
        shown = mine.filter(Q(instrument__isnull=True) | Q(instrument_id__in=by.instrument_ids))
        return shown.exclude(_named_in_query(instruments, "instrument_id")).exclude(
            _named_in_query(projects, "project_id")
        )


def _named_in_query(rows: models.QuerySet[Any], parameter: str) -> Exists:
    """Whether the query of a view asks for one of these. Ids need no escaping in addresses."""
    asked = Concat(Value(f"&{parameter}="), Cast("pk", TextField()), Value("&"), output_field=TextField())
    whole = Concat(Value("&"), OuterRef("query"), Value("&"), output_field=TextField())
    return Exists(rows.annotate(place=StrIndex(whole, asked)).filter(place__gt=0))


@audited("owner", "name", "query", "is_shared", "instrument")
class SavedView(models.Model):
    """One view. `query` is the query string of /runs; `instrument` is the one whose page begins with it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    owner = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_views", db_index=False)
    name = models.CharField(max_length=MAX_NAME_CHARACTERS)
    query = models.CharField(max_length=MAX_QUERY_CHARACTERS, blank=True, default="")
    is_shared = models.BooleanField(default=False)
    instrument = models.ForeignKey(
        Instrument, on_delete=models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    created_at = models.DateTimeField(default=now, editable=False)

    objects = SavedViewQuerySet.as_manager()

    class Meta:
        indexes = [models.Index(Lower("name"), "id", condition=Q(is_shared=True), name="shared_views_by_name")]
        constraints = [
            models.UniqueConstraint("owner", Lower("name"), name="one_view_per_owner_and_name"),
            models.UniqueConstraint(fields=["instrument"], name="one_default_view_per_instrument"),
            models.CheckConstraint(
                condition=has_length("name", least=1, most=MAX_NAME_CHARACTERS), name="view_has_a_name"
            ),
            models.CheckConstraint(
                condition=has_length("query", least=0, most=MAX_QUERY_CHARACTERS)
                & ~Q(query__startswith="/")
                & ~Q(query__startswith="?")
                & ~Q(query__contains="://"),
                name="view_query_is_a_query",
            ),
            models.CheckConstraint(
                condition=Q(instrument__isnull=True) | Q(is_shared=True), name="default_view_is_shared"
            ),
        ]

    def __str__(self) -> str:
        return self.name
