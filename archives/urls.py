from django.urls import path

from archives.api import ArchiveJobViewSet, ArchiveViewSet, CrateViewSet

RUN = "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>"

api = [
    path(f"{RUN}/download-archive", ArchiveViewSet.as_view({"get": "retrieve"})),
    path(f"{RUN}/ro-crate", CrateViewSet.as_view({"get": "retrieve"})),
    path("archive-jobs/<id:job_id>", ArchiveJobViewSet.as_view({"get": "retrieve", "patch": "partial_update"})),
]
