from django.urls import path

from overview.api import IntegrationViewSet, SearchViewSet, SystemViewSet, WhoamiViewSet
from overview.pages.first import home, search
from overview.pages.integrations import integration_settings, integrations

api = [
    path("settings/integrations", IntegrationViewSet.as_view({"get": "list", "put": "update"})),
    path("settings/integrations/<str:kind>/test", IntegrationViewSet.as_view({"post": "test"})),
    path("search", SearchViewSet.as_view({"get": "list"})),
    path("system/status", SystemViewSet.as_view({"get": "status"})),
    path("whoami", WhoamiViewSet.as_view({"get": "retrieve"})),
]

pages = [
    path("", home, name="home"),
    path("search", search, name="search"),
    path("settings/integrations", integrations, name="integrations"),
    path("settings/integrations/<str:kind>", integration_settings, name="integration"),
]
