from django.urls import path

from notifications.api import DispatchViewSet, InboxViewSet, NotificationSettingsViewSet
from notifications.rules.api import NotificationRuleViewSet

api = [
    path("notifications/dispatch", DispatchViewSet.as_view({"post": "create"})),
    path("notifications", InboxViewSet.as_view({"get": "list"})),
    path("notifications/read", InboxViewSet.as_view({"post": "read"})),
    path("notification-rules", NotificationRuleViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "notification-rules/<id:rule_id>",
        NotificationRuleViewSet.as_view({"patch": "partial_update", "delete": "destroy"}),
    ),
    path("settings/notifications", NotificationSettingsViewSet.as_view({"get": "retrieve", "put": "update"})),
]
