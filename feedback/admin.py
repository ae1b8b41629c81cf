from django.contrib import admin

from feedback.models import Report
from wire.admin import ReadOnlyAdmin


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("title", "kind", "status", "created_by", "created_at", "url")
    list_filter = ("kind", "status")
    list_select_related = ("created_by",)
    search_fields = ("title", "description", "created_by__email")
    ordering = ("-created_at", "-id")
