from django.urls import path

from notifications.api import DispatchViewSet, InboxViewSet, NotificationSettingsViewSet

api = [
    path("notifications/dispatch", DispatchViewSet.as_view({"post": "create"})),
    path("notifications", InboxViewSet.as_view({"get": "list"})),
    path("notifications/read", InboxViewSet.as_view({"post": "read"})),
    path("settings/notifications", NotificationSettingsViewSet.as_view({"get": "retrieve", "put": "update"})),
]
