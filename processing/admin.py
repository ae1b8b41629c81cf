from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.authentication import caller_of_page
from processing.models import ProcessingJob
from processing.requests import reprocess_file
from wire.admin import ReadOnlyAdmin
from wire.clock import now
from wire.errors import ServiceError


@admin.register(ProcessingJob)
class ProcessingJobAdmin(ReadOnlyAdmin):
    list_display = ("file", "state", "attempts", "processor", "requested_at", "ended_at")
    list_filter = ("state",)
    list_select_related = ("file",)
    search_fields = ("=file__id", "file__filename", "detail")
    ordering = ("-requested_at", "-file")
    actions = ("requeue",)

    @admin.action(description="Requeue: read these files again")
    def requeue(self, request: HttpRequest, chosen: QuerySet[ProcessingJob]) -> None:
        by, at, done = caller_of_page(request), now(), 0
        for job in chosen:
            try:
                reprocess_file(job.pk, by=by, at=at)
            except ServiceError as refused:
                self.message_user(request, f"File {job.pk}: {refused.message}", level="WARNING")
            else:
                done += 1
        self.message_user(request, f"Requeued: {done} of {len(chosen)}.")
