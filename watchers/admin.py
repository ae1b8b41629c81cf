from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from watchers import releases
from watchers.models import (
    EnrolmentCode,
    Heartbeat,
    ReleaseInstaller,
    TakeOver,
    WantedConfig,
    Watcher,
    WatcherEvent,
    WatcherRelease,
)
from wire.admin import TEXT_FIELDS, ReadOnlyAdmin, ServiceAdmin
from wire.clock import now


@admin.register(Watcher)
class WatcherAdmin(ServiceAdmin):
    """Agents register by themselves; here only their channel is chosen."""

    list_display = ("hostname", "instrument", "status", "agent_version", "channel", "last_heartbeat_at", "deleted_at")
    list_filter = ("status", "channel", "agent_version", ("deleted_at", admin.EmptyFieldListFilter))
    list_select_related = ("instrument",)
    search_fields = ("hostname", "instrument__id", "instrument__display_name")
    ordering = ("-created_at", "-id")
    fields = (
        *("id", "instrument", "token", "hostname", "os_info", "agent_version", "channel", "status", "upload_mode"),
        *("watch_directory", "last_heartbeat_at", "config_yaml", "config_updated_at", "created_at", "deleted_at"),
    )
    readonly_fields = tuple(name for name in fields if name != "channel")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


WRITTEN_ONCE = ("channel", "version", "min_supported_version", "mandatory", "notes")


@admin.register(WatcherRelease)
class WatcherReleaseAdmin(ServiceAdmin):
    list_display = ("version", "channel", "wave_percent", "mandatory", "published_at", "withdrawn_at")
    list_filter = ("channel", "mandatory", ("published_at", admin.EmptyFieldListFilter))
    search_fields = ("version", "notes")
    ordering = ("channel", "-published_at", "-id")
    readonly_fields = ("sha256", "size_bytes", "signature", "published_at", "withdrawn_at", "created_at")
    actions = ("publish", "withdraw")
    formfield_overrides = TEXT_FIELDS

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """What agents were told of once stays what it was; its wave may grow."""
        settled = obj is not None and obj.published_at is not None
        return (*WRITTEN_ONCE, *self.readonly_fields) if settled else self.readonly_fields

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None or obj.published_at is None

    @admin.action(description="Publish: tell agents to run these")
    def publish(self, request: HttpRequest, chosen: QuerySet[WatcherRelease]) -> None:
        self.message_user(request, f"Published: {releases.publish_releases(chosen, at=now())}.")

    @admin.action(description="Withdraw: lead agents back to what was published before")
    def withdraw(self, request: HttpRequest, chosen: QuerySet[WatcherRelease]) -> None:
        self.message_user(request, f"Withdrawn: {releases.withdraw_releases(chosen, at=now())}.")


@admin.register(ReleaseInstaller)
class ReleaseInstallerAdmin(ReadOnlyAdmin):
    """`./ids manage add_release` adds them."""

    list_display = ("filename", "release", "system", "size_bytes", "sha256")
    list_filter = ("system",)
    list_select_related = ("release",)
    search_fields = ("filename", "release__version")
    ordering = ("-release_id", "system")


@admin.register(WatcherEvent)
class WatcherEventAdmin(ReadOnlyAdmin):
    list_display = ("happened_at", "event_type", "watcher", "message")
    list_filter = ("event_type",)
    list_select_related = ("watcher",)
    search_fields = ("=watcher__id", "watcher__hostname")
    ordering = ("-id",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("received_at", "watcher", "status", "agent_version", "queue_depth", "errors")
    list_filter = ("status",)
    list_select_related = ("watcher",)
    search_fields = ("=watcher__id",)
    ordering = ("-received_at", "-id")


@admin.register(TakeOver)
class TakeOverAdmin(ReadOnlyAdmin):
    list_display = ("watcher", "former_token", "token", "taken_at")
    list_select_related = ("watcher", "former_token", "token")
    search_fields = ("watcher__hostname", "token__name")
    ordering = ("-id",)


@admin.register(EnrolmentCode)
class EnrolmentCodeAdmin(ReadOnlyAdmin):
    """Their digests are shown nowhere; admins make them on the page *Connect an instrument*."""

    list_display = ("instrument", "new_instrument_id", "created_by", "expires_at", "used_at", "hostname", "watcher")
    list_select_related = ("instrument", "created_by", "watcher")
    list_filter = (("used_at", admin.EmptyFieldListFilter),)
    search_fields = ("hostname", "instrument__id", "new_instrument_id", "created_by__email")
    ordering = ("-created_at", "-id")
    exclude = ("digest",)


@admin.register(WantedConfig)
class WantedConfigAdmin(ReadOnlyAdmin):
    """Admins ask for one on the watcher's page."""

    list_display = ("watcher", "state", "updated_at", "settled_at", "refusal")
    list_filter = ("state",)
    list_select_related = ("watcher",)
    search_fields = ("watcher__hostname",)
    ordering = ("-updated_at", "-watcher_id")
