from django.urls import path

from archives.api import ArchiveJobViewSet, ArchiveViewSet
from archives.pages import archive_page, downloads_page

RUN = "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>"

api = [
    path(f"{RUN}/download-archive", ArchiveViewSet.as_view({"get": "retrieve"})),
    path("archive-jobs/<id:job_id>", ArchiveJobViewSet.as_view({"get": "retrieve", "patch": "partial_update"})),
]

pages = [
    path("instruments/<slug_id:instrument_id>/runs/<run_id:run_id>/archive", archive_page, name="run_archive"),
    path("downloads", downloads_page, name="downloads"),
]
