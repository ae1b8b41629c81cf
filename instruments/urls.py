from django.urls import path

from instruments.api import InstrumentViewSet
from instruments.groups.api import GroupViewSet

INSTRUMENT = "instruments/<slug_id:instrument_id>"

api = [
    path("instruments", InstrumentViewSet.as_view({"get": "list", "post": "create"})),
    path(INSTRUMENT, InstrumentViewSet.as_view({"get": "retrieve", "patch": "partial_update"})),
    path("groups", GroupViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "groups/<id:group_id>",
        GroupViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
    ),
]
