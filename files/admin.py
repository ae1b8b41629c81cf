from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.db.models.lookups import IContains
from django.http import HttpRequest

from files.models import (
    DailyIntake,
    File,
    FileScrub,
    IntegrityFinding,
    ObjectRemoval,
    ReadBack,
    Recall,
    SharableObject,
    StoredChange,
    StoredRange,
    SweepPosition,
    Thumbnail,
    UploadPart,
)
from wire.admin import ReadOnlyAdmin
from wire.columns import Searchable


@admin.register(File)
class FileAdmin(ReadOnlyAdmin):
    list_display = ("id", "filename", "run", "category", "status", "size_bytes", "created_at", "deleted_at")
    list_filter = ("status", "category", "report_kind", ("deleted_at", admin.EmptyFieldListFilter))
    list_select_related = ("run",)
    search_fields = ("filename",)
    ordering = ("-id",)

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[File], search_term: str) -> Any:
        """By the index of the dashboard's own search."""
        matches = IContains(Searchable("filename"), search_term)
        return (queryset.filter(matches) if search_term else queryset), False


@admin.register(UploadPart)
class UploadPartAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "file")
    list_select_related = ("file",)
    search_fields = ("=file__id",)
    ordering = ("-id",)


@admin.register(DailyIntake)
class DailyIntakeAdmin(ReadOnlyAdmin):
    list_display = ("day", "instrument", "size_bytes")
    list_select_related = ("instrument",)
    search_fields = ("=instrument__id",)
    ordering = ("-day", "-id")


@admin.register(ReadBack)
class ReadBackAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "file", "crc32", "requested_at", "attempts", "error_message")
    list_select_related = ("file",)
    search_fields = ("=file__id",)
    ordering = ("-id",)


@admin.register(SharableObject)
class SharableObjectAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "file", "sha256", "size_bytes", "verified_at", "attempts", "error_message")
    list_select_related = ("file",)
    search_fields = ("=file__id", "=sha256")
    ordering = ("-id",)


@admin.register(SweepPosition)
class SweepPositionAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "looked_at")


@admin.register(StoredChange)
class StoredChangeAdmin(ReadOnlyAdmin):
    list_display = ("id_range", "category", "objects_count", "size_bytes")
    ordering = ("-id",)


@admin.register(StoredRange)
class StoredRangeAdmin(ReadOnlyAdmin):
    list_display = ("number", "counted_at")
    ordering = ("number",)


@admin.register(Thumbnail)
class ThumbnailAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "file", "content_type", "drawn_at")
    list_select_related = ("file",)
    search_fields = ("=run__id",)
    ordering = ("-run_id",)


admin.site.register(FileScrub, ReadOnlyAdmin, ordering=("scrubbed_at",))
admin.site.register(IntegrityFinding, ReadOnlyAdmin, ordering=("-first_seen_at",))
admin.site.register(Recall, ReadOnlyAdmin, ordering=("-requested_at",))
admin.site.register(ObjectRemoval, ReadOnlyAdmin, ordering=("-pk",))
