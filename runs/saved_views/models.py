"""Views that people saved: a name for what the run list looks for and how it shows it."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from accounts.audit_trail import audited
from accounts.callers import Caller
from accounts.models import User
from instruments.models import Instrument
from wire.clock import now
from wire.columns import has_length
from wire.ids import new_id

MAX_NAME_CHARACTERS, MAX_QUERY_CHARACTERS = 80, 2_000


class SavedViewQuerySet(models.QuerySet["SavedView"]):
    def visible_to(self, by: Caller) -> "SavedViewQuerySet":
        """One's own and those that are shared."""
        return self.filter(Q(is_shared=True) | Q(owner=by.user) if by.user else Q(is_shared=True))


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
