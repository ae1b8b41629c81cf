from django.urls import path

from changes.api import ChangesViewSet
from changes.webhooks.api import DeliveryViewSet, WebhookViewSet

api = [
    path("changes", ChangesViewSet.as_view({"get": "list"})),
    path("webhooks", WebhookViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "webhooks/<id:webhook_id>",
        WebhookViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
    ),
    path("webhooks/<id:webhook_id>/rotate-secret", WebhookViewSet.as_view({"post": "rotate_secret"})),
    path("webhooks/<id:webhook_id>/test", WebhookViewSet.as_view({"post": "test"})),
    path("webhooks/<id:webhook_id>/deliveries", DeliveryViewSet.as_view({"get": "list"})),
    path(
        "webhooks/<id:webhook_id>/deliveries/<id:delivery_id>/redeliver",
        DeliveryViewSet.as_view({"post": "redeliver"}),
    ),
]
