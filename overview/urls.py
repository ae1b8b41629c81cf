from django.urls import path

from overview.api import (
    InstrumentHistoryViewSet,
    IntegrationViewSet,
    RunHistoryViewSet,
    SearchViewSet,
    SystemViewSet,
    WhoamiViewSet,
)
from overview.pages.first import home, search
from overview.pages.history import instrument_history, run_history
from overview.pages.integrations import integration_settings, integrations

INSTRUMENT_HISTORY = "instruments/<slug_id:instrument_id>/history"
RUN_HISTORY = "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>/history"

api = [
    path(INSTRUMENT_HISTORY, InstrumentHistoryViewSet.as_view({"get": "list"})),
    path(RUN_HISTORY, RunHistoryViewSet.as_view({"get": "list"})),
    path("settings/integrations", IntegrationViewSet.as_view({"get": "list", "put": "update"})),
    path("settings/integrations/<str:kind>/test", IntegrationViewSet.as_view({"post": "test"})),
    path("search", SearchViewSet.as_view({"get": "list"})),
    path("system/status", SystemViewSet.as_view({"get": "status"})),
    path("whoami", WhoamiViewSet.as_view({"get": "retrieve"})),
]

pages = [
    path("", home, name="home"),
    path("search", search, name="search"),
    path(INSTRUMENT_HISTORY, instrument_history, name="instrument_history"),
    path(RUN_HISTORY, run_history, name="run_history"),
    path("settings/integrations", integrations, name="integrations"),
    path("settings/integrations/<str:kind>", integration_settings, name="integration"),
]
