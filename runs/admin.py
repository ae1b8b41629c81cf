from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.authentication import caller_of_page
from instruments.models import Instrument
from runs.holds.models import Hold
from runs.lifecycle import delete_run, restore_run
from runs.models import Claim, Comment, ElnTemplate, Mention, Run, ShareLink
from runs.name_matches import run_id_contains
from runs.projects.models import Project
from runs.saved_views.models import SavedView
from runs.signatures.models import Signature
from runs.status import RunStatus
from wire.admin import ReadOnlyAdmin
from wire.clock import now
from wire.errors import ServiceError

MAX_INSTRUMENTS_TO_CHOOSE = 50


class StatusFilter(admin.SimpleListFilter):
    """The stored statuses. Django would ask every row of a column without choices."""

    title = parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(status.value, status.label) for status in RunStatus if status != RunStatus.STALLED]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset.filter(status=self.value()) if self.value() else queryset


class InstrumentFilter(admin.SimpleListFilter):
    """The busiest instruments: Django would write out a line for each of thousands. An address may name any."""

    title, parameter_name = "instrument", "instrument__id__exact"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        busiest = Instrument.objects.order_by("-run_count", "id").values_list("id", "display_name")
        chosen = self.value()
        offered = dict(busiest[:MAX_INSTRUMENTS_TO_CHOOSE])
        return list((({chosen: chosen} if chosen else {}) | offered).items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset.filter(instrument=self.value()) if self.value() else queryset


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ("run_id", "instrument", "status", "source", "file_count", "happened_at", "deleted_at")
    list_filter = (StatusFilter, "source", ("deleted_at", admin.EmptyFieldListFilter), InstrumentFilter)
    list_select_related = ("instrument",)
    search_fields = ("run_id",)
    ordering = ("-id",)  # ids grow with time, and deleted runs are in no index by time
    fields = (
        *(
            "id",
            "instrument",
            "run_id",
            "source",
            "watcher",
            "status",
            "metadata",
            "caller_metadata",
            "extracted",
            "tags",
            "project",
            "acquired_at",
        ),
        *("created_at", "updated_at", "file_count", "total_size_bytes", "n_failed", "n_pending", "n_uploaded"),
        *(
            "n_processing",
            "n_completed",
            "comment_count",
            "claim_count",
            "deleted_at",
            "deleted_by",
            "deleted_by_token",
        ),
    )
    actions = ("delete_softly", "restore")

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Run], search_term: str) -> Any:
        """By the index of the dashboard's own search."""
        return (queryset.filter(run_id_contains(search_term)) if search_term else queryset), False

    @admin.action(description="Delete: hidden, and can be restored")
    def delete_softly(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        by, at = caller_of_page(request), now()
        self._each(
            request, chosen, lambda run: delete_run(instrument=run.instrument_id, run_id=run.run_id, by=by, at=at)
        )

    @admin.action(description="Restore")
    def restore(self, request: HttpRequest, chosen: QuerySet[Run]) -> None:
        by = caller_of_page(request)
        self._each(request, chosen, lambda run: restore_run(instrument=run.instrument_id, run_id=run.run_id, by=by))

    def _each(self, request: HttpRequest, chosen: QuerySet[Run], change: Callable[[Run], object]) -> None:
        try:
            for run in chosen:
                change(run)
        except ServiceError as refused:
            self.message_user(request, refused.message, level="ERROR")
        else:
            self.message_user(request, f"Done: {len(chosen)}.")


@admin.register(Project)
class ProjectAdmin(ReadOnlyAdmin):
    list_display = ("name", "link", "created_at", "archived_at")
    list_filter = (("archived_at", admin.EmptyFieldListFilter),)
    search_fields = ("name",)
    ordering = ("name",)


@admin.register(Hold)
class HoldAdmin(ReadOnlyAdmin):
    list_display = ("run", "project", "reason", "placed_by", "placed_at")
    list_select_related = ("run", "project", "placed_by")
    search_fields = ("reason", "run__run_id", "project__name")
    ordering = ("-placed_at", "-id")


@admin.register(ShareLink)
class ShareLinkAdmin(ReadOnlyAdmin):
    list_display = ("run", "maker_name", "created_at", "expires_at", "revoked_at", "open_count")
    list_select_related = ("run", "made_by", "made_by_token")
    search_fields = ("run__run_id", "made_by__email", "made_by_token__name")
    fields = (
        *("id", "run", "made_by", "made_by_token", "created_at", "expires_at"),
        *("revoked_at", "revoked_by", "revoked_by_token", "open_count"),
    )
    ordering = ("-created_at", "-id")


@admin.register(Signature)
class SignatureAdmin(ReadOnlyAdmin):
    list_display = ("run", "meaning", "printed_name", "proven_by", "signed_at", "revoked_at")
    list_filter = ("meaning",)
    list_select_related = ("run",)
    search_fields = ("printed_name", "run__run_id")
    ordering = ("-signed_at", "-id")


@admin.register(SavedView)
class SavedViewAdmin(ReadOnlyAdmin):
    list_display = ("name", "owner", "is_shared", "instrument", "created_at")
    list_filter = ("is_shared", ("instrument", admin.EmptyFieldListFilter))
    list_select_related = ("owner", "instrument")
    search_fields = ("name", "owner__email")
    ordering = ("-id",)


@admin.register(Claim)
class ClaimAdmin(ReadOnlyAdmin):
    list_display = ("run", "user", "claimed_at")
    list_select_related = ("run", "user")
    search_fields = ("user__email", "=run__run_id")
    ordering = ("-id",)


@admin.register(Comment)
class CommentAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "run", "user", "token", "created_at", "edited_at", "deleted_at")
    list_filter = (("deleted_at", admin.EmptyFieldListFilter), ("token", admin.EmptyFieldListFilter))
    list_select_related = ("run", "user", "token")
    search_fields = ("body", "user__email", "token__name")
    ordering = ("-id",)


@admin.register(Mention)
class MentionAdmin(ReadOnlyAdmin):
    list_display = ("comment", "user", "created_at")
    list_select_related = ("comment", "user")
    search_fields = ("user__email",)
    ordering = ("-id",)


@admin.register(ElnTemplate)
class ElnTemplateAdmin(ReadOnlyAdmin):
    list_display = ("template", "changed_by", "changed_at")
    list_select_related = ("changed_by",)
    search_fields = ("template",)
    ordering = ("id",)
