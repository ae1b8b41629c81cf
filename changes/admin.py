from django.contrib import admin

from changes.models import Change, LogState, Webhook, WebhookDelivery
from wire.admin import ReadOnlyAdmin


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    list_display = ("position", "type", "at", "instrument_id", "run_id", "file_id")
    list_filter = ("type",)
    search_fields = ("instrument_id", "run_id")
    ordering = ("-position",)


@admin.register(LogState)
class LogStateAdmin(ReadOnlyAdmin):
    list_display = ("id", "forgotten_to", "sent_to")


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    fields = (
        *("id", "kind", "description", "event_types", "instrument_ids", "is_active", "disabled_reason", "created_by"),
        *("created_at", "last_success_at", "failing_since", "failures", "due_at", "is_slow", "lease_until"),
    )
    list_display = ("__str__", "kind", "is_active", "failing_since", "last_success_at", "due_at")
    list_filter = ("kind", "is_active")
    search_fields = ("description",)
    ordering = ("-created_at", "-id")


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin):
    list_display = ("id", "webhook", "event_type", "status", "tries", "next_attempt_at", "created_at")
    list_filter = ("status", "event_type")
    list_select_related = ("webhook",)
    search_fields = ("=id",)
    ordering = ("-created_at", "-id")
