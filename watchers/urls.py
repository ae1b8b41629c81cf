from django.urls import path

from watchers.api import EventViewSet, HeartbeatViewSet, InstanceViewSet, WatcherViewSet
from watchers.configuration.api import ConfigViewSet, WantedConfigViewSet
from watchers.enrolling.api import EnrolmentCodeViewSet, EnrolmentViewSet
from watchers.updates.api import ReleaseViewSet

WATCHER = "watchers/<id:watcher_id>"

api = [
    path("enrolment-codes", EnrolmentCodeViewSet.as_view({"post": "create"})),
    path("enrol", EnrolmentViewSet.as_view({"post": "create"})),
    path("settings/watcher-releases", ReleaseViewSet.as_view({"get": "list", "post": "create"})),
    path("settings/watcher-releases/<file_id:release_id>", ReleaseViewSet.as_view({"patch": "partial_update"})),
    path("watchers", WatcherViewSet.as_view({"get": "list"})),
    path("watchers/register", WatcherViewSet.as_view({"post": "register"})),
    path(WATCHER, WatcherViewSet.as_view({"get": "retrieve", "delete": "destroy"})),
    path(f"{WATCHER}/instance", InstanceViewSet.as_view({"post": "create"})),
    path(f"{WATCHER}/heartbeat", HeartbeatViewSet.as_view({"post": "create"})),
    path(f"{WATCHER}/heartbeats", HeartbeatViewSet.as_view({"get": "list"})),
    path(f"{WATCHER}/events", EventViewSet.as_view({"get": "list", "post": "create"})),
    path(f"{WATCHER}/config", ConfigViewSet.as_view({"get": "retrieve", "put": "update"})),
    path(f"{WATCHER}/config-checksum", ConfigViewSet.as_view({"get": "checksum"})),
    path(
        f"{WATCHER}/wanted-config",
        WantedConfigViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
    path(f"{WATCHER}/update-check", WatcherViewSet.as_view({"get": "check_for_update"})),
]
