from django.contrib import admin

from datasets.models import Dataset
from wire.admin import ReadOnlyAdmin


@admin.register(Dataset)
class DatasetAdmin(ReadOnlyAdmin):
    list_display = ("id", "name", "kind", "run", "source_file", "row_count", "processor", "created_at")
    list_filter = ("kind",)
    list_select_related = ("run", "source_file")
    search_fields = ("=id", "=name", "=source_file__id")
    ordering = ("-created_at", "-id")
