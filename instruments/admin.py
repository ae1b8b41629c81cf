from django.contrib import admin

from instruments.models import Instrument
from wire.admin import ReadOnlyAdmin


@admin.register(Instrument)
class InstrumentAdmin(ReadOnlyAdmin):
    """Instruments are confirmed and edited in the dashboard."""

    list_display = ("id", "display_name", "status", "instrument_type", "time_zone", "run_count", "created_at")
    list_filter = ("status", "instrument_type")
    search_fields = ("id", "display_name")
    ordering = ("id",)
