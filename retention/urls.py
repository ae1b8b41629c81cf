from django.urls import path

from retention.api import RetentionViewSet

RETENTION = "instruments/<slug_id:instrument_id>/retention"

api = [
    path(RETENTION, RetentionViewSet.as_view({"get": "retrieve", "put": "update"})),
    path(f"{RETENTION}/preview", RetentionViewSet.as_view({"get": "preview"})),
]
