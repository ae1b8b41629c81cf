from django.urls import path

from instruments.api import InstrumentViewSet

INSTRUMENT = "instruments/<slug_id:instrument_id>"

api = [
    path("instruments", InstrumentViewSet.as_view({"get": "list", "post": "create"})),
    path(INSTRUMENT, InstrumentViewSet.as_view({"get": "retrieve", "patch": "partial_update"})),
]
