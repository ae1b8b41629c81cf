from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from archives.jobs import retry_job
from archives.models import ArchiveJob
from wire.admin import ReadOnlyAdmin
from wire.clock import now


@admin.register(ArchiveJob)
class ArchiveJobAdmin(ReadOnlyAdmin):
    list_display = ("id", "run", "status", "attempts", "size_bytes", "created_at", "completed_at")
    list_filter = ("status",)
    list_select_related = ("run",)
    search_fields = ("=id", "run__run_id", "error_message")
    ordering = ("-created_at", "-id")
    actions = ("requeue",)

    @admin.action(description="Requeue: build the failed ones again")
    def requeue(self, request: HttpRequest, chosen: QuerySet[ArchiveJob]) -> None:
        done = sum(retry_job(job.pk, at=now()) for job in chosen)
        self.message_user(request, f"Requeued: {done} of {len(chosen)}.")
