from django.urls import path

from overview.api import (
    DataciteViewSet,
    InstrumentHistoryViewSet,
    IntegrationViewSet,
    RunHistoryViewSet,
    SearchViewSet,
    SystemViewSet,
    WhoamiViewSet,
)

INSTRUMENT_HISTORY = "instruments/<slug_id:instrument_id>/history"
RUN_HISTORY = "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>/history"

api = [
    path(INSTRUMENT_HISTORY, InstrumentHistoryViewSet.as_view({"get": "list"})),
    path(RUN_HISTORY, RunHistoryViewSet.as_view({"get": "list"})),
    path("projects/<id:project_id>/datacite", DataciteViewSet.as_view({"get": "retrieve"})),
    path("settings/integrations", IntegrationViewSet.as_view({"get": "list", "put": "update"})),
    path("settings/integrations/<str:kind>/test", IntegrationViewSet.as_view({"post": "test"})),
    path("search", SearchViewSet.as_view({"get": "list"})),
    path("system/status", SystemViewSet.as_view({"get": "status"})),
    path("whoami", WhoamiViewSet.as_view({"get": "retrieve"})),
]
