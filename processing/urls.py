from django.urls import path

from processing.api import FileReprocessViewSet, RunReprocessViewSet

RUN = "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>"

api = [
    path("files/<file_id:file_id>/reprocess", FileReprocessViewSet.as_view({"post": "create"})),
    path(f"{RUN}/reprocess", RunReprocessViewSet.as_view({"post": "create"})),
]
