from django.urls import path

from runs.api import ClaimViewSet, FilterOptionsViewSet, RunSearchViewSet, RunViewSet, TagViewSet
from runs.comments.api import CommentViewSet
from runs.holds.api import ProjectHoldViewSet, RunHoldViewSet
from runs.projects.api import ProjectViewSet
from runs.sharing.api import ShareLinkViewSet

RUNS = "instruments/<slug_id:instrument_id>/runs"
RUN = f"{RUNS}/<run_id:run_id>"

api = [
    path("instrument-runs", RunSearchViewSet.as_view({"get": "list"})),
    path(RUNS, RunViewSet.as_view({"get": "list", "post": "create"})),
    path(RUN, RunViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"})),
    path("instruments/<slug_id:instrument_id>/filter-options", FilterOptionsViewSet.as_view({"get": "retrieve"})),
    path(f"{RUN}/restore", RunViewSet.as_view({"post": "restore"})),
    path(f"{RUN}/attributions/me", ClaimViewSet.as_view({"put": "update", "delete": "destroy"})),
    path(f"{RUN}/tags/<slug_id:tag>", TagViewSet.as_view({"put": "update", "delete": "destroy"})),
    path(f"{RUN}/comments", CommentViewSet.as_view({"get": "list", "post": "create"})),
    path(f"{RUN}/comments/<id:comment_id>", CommentViewSet.as_view({"patch": "partial_update", "delete": "destroy"})),
    path(f"{RUN}/hold", RunHoldViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"})),
    path(f"{RUN}/share-links", ShareLinkViewSet.as_view({"get": "list", "post": "create"})),
    path(f"{RUN}/share-links/<id:link_id>", ShareLinkViewSet.as_view({"delete": "destroy"})),
    path("projects", ProjectViewSet.as_view({"get": "list", "post": "create"})),
    path(
        "projects/<id:project_id>",
        ProjectViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"}),
    ),
    path(
        "projects/<id:project_id>/hold",
        ProjectHoldViewSet.as_view({"get": "retrieve", "put": "update", "delete": "destroy"}),
    ),
]
