from django.urls import path

from notifications.api import DispatchViewSet, InboxViewSet, NotificationSettingsViewSet
from notifications.pages.inbox import inbox, mute_kind, open_notification, read_notifications
from notifications.pages.settings import notification_settings

api = [
    path("notifications/dispatch", DispatchViewSet.as_view({"post": "create"})),
    path("notifications", InboxViewSet.as_view({"get": "list"})),
    path("notifications/read", InboxViewSet.as_view({"post": "read"})),
    path("settings/notifications", NotificationSettingsViewSet.as_view({"get": "retrieve", "put": "update"})),
]

pages = [
    path("inbox", inbox, name="inbox"),
    path("inbox/read", read_notifications, name="read_notifications"),
    path("inbox/mute", mute_kind, name="mute_kind"),
    path("inbox/<id:notification_id>", open_notification, name="open_notification"),
    path("settings/notifications", notification_settings, name="notification_settings"),
]
