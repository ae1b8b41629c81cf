from django.urls import path

from watchers.api import ConfigViewSet, EventViewSet, HeartbeatViewSet, ReleaseViewSet, WatcherViewSet
from watchers.pages.detail import watcher_page
from watchers.pages.fleet import connect, watcher_list
from watchers.pages.leaving import deregister
from watchers.pages.releases import releases

WATCHER = "watchers/<id:watcher_id>"

api = [
    path("settings/watcher-releases", ReleaseViewSet.as_view({"get": "list", "post": "create"})),
    path("settings/watcher-releases/<file_id:release_id>", ReleaseViewSet.as_view({"patch": "partial_update"})),
    path("watchers", WatcherViewSet.as_view({"get": "list"})),
    path("watchers/register", WatcherViewSet.as_view({"post": "register"})),
    path(WATCHER, WatcherViewSet.as_view({"get": "retrieve", "delete": "destroy"})),
    path(f"{WATCHER}/heartbeat", HeartbeatViewSet.as_view({"post": "create"})),
    path(f"{WATCHER}/heartbeats", HeartbeatViewSet.as_view({"get": "list"})),
    path(f"{WATCHER}/events", EventViewSet.as_view({"get": "list", "post": "create"})),
    path(f"{WATCHER}/config", ConfigViewSet.as_view({"get": "retrieve", "put": "update"})),
    path(f"{WATCHER}/config-checksum", ConfigViewSet.as_view({"get": "checksum"})),
    path(f"{WATCHER}/update-check", WatcherViewSet.as_view({"get": "check_for_update"})),
]

pages = [
    path("settings/watcher-releases", releases, name="watcher_releases"),
    path("watchers", watcher_list, name="watchers"),
    path("watchers/connect", connect, name="connect"),
    path("watchers/deregister", deregister, name="deregister"),
    path(WATCHER, watcher_page, name="watcher"),
]
