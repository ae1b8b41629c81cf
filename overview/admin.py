"""The trail, for maintainers: a list of changes beside each model, which nobody writes; and the backups."""

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.text import Truncator

from accounts.trail.rows import Trail, list_trail_models
from overview.change_sentences import format_actor
from overview.history import ACTIONS, action_of, actor_of
from overview.models import Backup, Import
from wire.admin import ReadOnlyAdmin


class ActionFilter(admin.SimpleListFilter):
    """In the words of the pages. Django would look through a trail of millions for them."""

    title, parameter_name = "what was done", "pgh_label"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(ACTIONS.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(pgh_label=self.value()) if self.value() else queryset


class TrailAdmin(ReadOnlyAdmin):
    """Rows of one thing are reached by the button History on its page."""

    list_display = ("at", "actor", "action", "thing", "what")
    list_filter = (ActionFilter,)
    ordering = ("-pgh_id",)
    fields = ("pgh_id", "at", "actor", "action", "thing", "changes", "pgh_context")

    @admin.display(description="At")
    def at(self, row: Trail) -> datetime:
        return row.pgh_created_at

    @admin.display(description="By")
    def actor(self, row: Trail) -> str:
        actor = actor_of(row.pgh_context)
        return actor.name if actor.kind == "service" else f"{format_actor(actor)} ({actor.kind})"

    @admin.display(description="Did")
    def action(self, row: Trail) -> str:
        return action_of(row.pgh_label, row.changes)

    @admin.display(description="Id")
    def thing(self, row: Any) -> str:
        return str(row.pgh_obj_id)

    @admin.display(description="Fields")
    def what(self, row: Trail) -> str:
        return Truncator(", ".join(row.changes)).chars(80)


for trail in list_trail_models():
    admin.site.register(trail, TrailAdmin)


@admin.register(Backup)
class BackupAdmin(ReadOnlyAdmin):
    list_display = ("name", "made_at", "has_objects", "objects_count", "size_bytes", "differences")
    search_fields = ("name",)
    ordering = ("-made_at", "-id")


admin.site.register(Import, ReadOnlyAdmin, ordering=("-began_at",))
