"""The trail, for maintainers: a list of changes beside each model, which nobody writes; and the backups."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.text import Truncator

from accounts.audit_trail import Trail, list_trail_models
from overview.change_sentences import format_actor
from overview.history import action_of, actor_of
from overview.models import Backup, Import
from wire.admin import ReadOnlyAdmin


class TrailAdmin(ReadOnlyAdmin):
    """Rows of one thing are reached by the button History on its page."""

    list_display = ("pgh_created_at", "actor", "action", "thing", "what", "request")
    list_filter = ("pgh_label",)
    ordering = ("-pgh_id",)
    fields = ("pgh_id", "pgh_created_at", "actor", "action", "thing", "changes", "pgh_context")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

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

    @admin.display(description="Request")
    def request(self, row: Trail) -> str:
        return row.pgh_context.get("request_id") or ""


for trail in list_trail_models():
    admin.site.register(trail, TrailAdmin)


@admin.register(Backup)
class BackupAdmin(ReadOnlyAdmin):
    list_display = ("name", "made_at", "has_objects", "objects_count", "size_bytes", "differences")
    search_fields = ("name",)
    ordering = ("-made_at", "-id")


admin.site.register(Import, ReadOnlyAdmin, ordering=("-began_at",))
