from django.urls import path

from files.api import (
    FileContentViewSet,
    FileViewSet,
    ReportItemViewSet,
    RunFileViewSet,
    UploadQueueViewSet,
    UploadViewSet,
)
from files.cold.api import RecallViewSet
from files.pictures.api import CommentPictureViewSet
from files.signing.api import SignatureViewSet

RUN = "instruments/<slug_id:instrument_id>/runs/<run_id:run_id>"
FILE = "files/<file_id:file_id>"

api = [
    path(f"{RUN}/files", RunFileViewSet.as_view({"get": "list", "post": "create"})),
    path(f"{RUN}/files:restore", RecallViewSet.as_view({"post": "restore_run"})),
    path(f"{RUN}/report-items", ReportItemViewSet.as_view({"get": "list"})),
    path(f"{RUN}/request-upload", UploadViewSet.as_view({"post": "queue"})),
    path(f"{RUN}/request-upload-url", UploadViewSet.as_view({"post": "request_url"})),
    path(f"{RUN}/files:batch", UploadViewSet.as_view({"post": "request_urls"})),
    path(f"{RUN}/files:confirm", UploadViewSet.as_view({"post": "confirm"})),
    path(f"{RUN}/comment-pictures", CommentPictureViewSet.as_view({"post": "create"})),
    path(f"{RUN}/signatures", SignatureViewSet.as_view({"get": "list", "post": "create"})),
    path(f"{RUN}/signatures/passkey-question", SignatureViewSet.as_view({"post": "ask"})),
    path(f"{RUN}/signatures/<id:signature_id>/revoke", SignatureViewSet.as_view({"post": "revoke"})),
    path(FILE, FileViewSet.as_view({"get": "retrieve", "patch": "partial_update", "delete": "destroy"})),
    path(f"{FILE}/download", FileContentViewSet.as_view({"get": "download"})),
    path(f"{FILE}/restore", RecallViewSet.as_view({"post": "restore_file"})),
    path(f"{FILE}/preview", FileContentViewSet.as_view({"get": "preview"})),
    path(f"{FILE}/multipart-upload", UploadViewSet.as_view({"delete": "abort"})),
    path(f"{FILE}/multipart-upload/part-urls", UploadViewSet.as_view({"post": "part_urls"})),
    path(f"{FILE}/multipart-upload/complete", UploadViewSet.as_view({"post": "complete"})),
    path("watchers/<id:watcher_id>/upload-queue", UploadQueueViewSet.as_view({"get": "list"})),
]
