from django.contrib import admin

from instruments.groups.models import Group, GroupInstrument, Membership
from instruments.models import Instrument
from wire.admin import ReadOnlyAdmin


@admin.register(Instrument)
class InstrumentAdmin(ReadOnlyAdmin):
    """Instruments are confirmed and edited in the dashboard."""

    list_display = ("id", "display_name", "status", "instrument_type", "time_zone", "run_count", "created_at")
    list_filter = ("status", "instrument_type")
    search_fields = ("id", "display_name")
    ordering = ("id",)


@admin.register(Group)
class GroupAdmin(ReadOnlyAdmin):
    """Groups are made and changed in the dashboard."""

    list_display = ("name", "created_at")
    search_fields = ("name",)
    ordering = ("name",)


@admin.register(Membership)
class MembershipAdmin(ReadOnlyAdmin):
    list_display = ("group", "person", "role")
    list_filter = ("role",)
    list_select_related = ("group", "person")
    search_fields = ("group__name", "person__email")
    ordering = ("group__name", "id")


@admin.register(GroupInstrument)
class GroupInstrumentAdmin(ReadOnlyAdmin):
    list_display = ("group", "instrument")
    list_select_related = ("group", "instrument")
    search_fields = ("group__name", "instrument__id")
    ordering = ("group__name", "id")
