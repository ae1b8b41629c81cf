from django.urls import path

from instruments.api import InstrumentViewSet
from instruments.pages.changes import act_on_instruments, change_page
from instruments.pages.detail import edit_page, instrument_page
from instruments.pages.lists import instrument_list

INSTRUMENT = "instruments/<slug_id:instrument_id>"

api = [
    path("instruments", InstrumentViewSet.as_view({"get": "list", "post": "create"})),
    path(INSTRUMENT, InstrumentViewSet.as_view({"get": "retrieve", "patch": "partial_update"})),
]

pages = [
    path("instruments", instrument_list, name="instruments"),
    path("instruments/selection", act_on_instruments, name="instrument_selection"),
    path("instruments/<slug_id:instrument_id>", instrument_page, name="instrument"),
    path("instruments/<slug_id:instrument_id>/edit", edit_page, name="instrument_form"),
    path("instruments/<slug_id:instrument_id>/change", change_page, name="instrument_change"),
]
