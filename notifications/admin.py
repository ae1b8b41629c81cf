from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from notifications.announcements import retry_announcements
from notifications.delivery import send_again
from notifications.models import (
    Announcement,
    ChatDelivery,
    Digest,
    EmailDelivery,
    Follow,
    Notification,
    NotificationRule,
    Preference,
)
from wire.admin import ReadOnlyAdmin


@admin.register(Notification)
class NotificationAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "kind", "recipient", "sender_name", "read_at", "created_at")
    list_filter = ("kind", "sender_kind", ("read_at", admin.EmptyFieldListFilter))
    list_select_related = ("recipient",)
    search_fields = ("recipient__email", "message")
    ordering = ("-created_at", "-id")


@admin.register(Preference)
class PreferenceAdmin(ReadOnlyAdmin):
    list_display = ("user", "kind", "in_app", "chat")
    list_filter = ("kind", "in_app", "chat")
    list_select_related = ("user",)
    search_fields = ("user__email",)
    ordering = ("user", "kind")


@admin.register(Follow)
class FollowAdmin(ReadOnlyAdmin):
    list_display = ("user", "instrument")
    list_select_related = ("user", "instrument")
    search_fields = ("user__email", "instrument__id")
    ordering = ("user", "instrument")


@admin.register(Announcement)
class AnnouncementAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "kind", "created_at", "attempts", "lease_until", "delivered_at", "error_message")
    list_filter = ("kind", ("delivered_at", admin.EmptyFieldListFilter))
    search_fields = ("message", "error_message")
    ordering = ("-id",)
    actions = ("requeue",)

    @admin.action(description="Requeue: try those again that were not delivered")
    def requeue(self, request: HttpRequest, chosen: QuerySet[Announcement]) -> None:
        self.message_user(request, f"Requeued: {retry_announcements(chosen)}.")


@admin.register(ChatDelivery)
class ChatDeliveryAdmin(ReadOnlyAdmin):
    list_display = ("notification", "attempts", "lease_until", "sent_at", "refused_at", "error_message")
    list_filter = (("sent_at", admin.EmptyFieldListFilter), ("refused_at", admin.EmptyFieldListFilter))
    list_select_related = ("notification",)
    search_fields = ("notification__recipient__email", "error_message")
    ordering = ("-id",)
    actions = ("requeue",)

    @admin.action(description="Requeue: try those again that were refused")
    def requeue(self, request: HttpRequest, chosen: QuerySet[ChatDelivery]) -> None:
        self.message_user(request, f"Requeued: {send_again(chosen)}.")


@admin.register(EmailDelivery)
class EmailDeliveryAdmin(ReadOnlyAdmin):
    list_display = ("notification", "attempts", "lease_until", "sent_at", "refused_at", "error_message")
    list_filter = (("sent_at", admin.EmptyFieldListFilter), ("refused_at", admin.EmptyFieldListFilter))
    list_select_related = ("notification",)
    search_fields = ("notification__recipient__email", "error_message")
    ordering = ("-id",)


@admin.register(Digest)
class DigestAdmin(ReadOnlyAdmin):
    list_display = ("__str__", "user", "attempts", "lease_until", "sent_at", "refused_at", "error_message")
    list_filter = (("sent_at", admin.EmptyFieldListFilter), ("refused_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("user__email",)
    ordering = ("-id",)


@admin.register(NotificationRule)
class NotificationRuleAdmin(ReadOnlyAdmin):
    list_display = ("user", "event", "whose", "person", "instrument", "project", "tag", "paused_at")
    list_filter = ("event", "whose", ("paused_at", admin.EmptyFieldListFilter))
    list_select_related = ("user", "person", "instrument", "project")
    search_fields = ("user__email",)
    ordering = ("-created_at", "-id")
