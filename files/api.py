"""REST: the records of files, their bytes, uploads, report items."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.callers import Caller
from accounts.viewsets import ViewSet
from files import access
from files.artefact_schemas import ARTEFACT_SCHEMA
from files.changes import FileChange, change_file, dismiss_file
from files.choices import FileStatus
from files.downloads import sign_download
from files.listing import FileFilter, list_files
from files.models import File
from files.previews import find_preview
from files.records import FileMissing, NewFile, find_file, record_file
from files.report_items import ReportWindow, list_report_items
from files.serializers import (
    DismissedFileSerializer,
    DownloadParams,
    DownloadSerializer,
    FileChangeSerializer,
    FileDetailSerializer,
    FileListParams,
    FileSerializer,
    ListedFileSerializer,
    NewFileSerializer,
    ReportItemParams,
    ReportItemsSerializer,
    represent_file,
    represent_file_detail,
    represent_listed_file,
)
from files.uploads.completion import SentPart, complete_upload
from files.uploads.multipart import PartChecksum, abort_upload, sign_parts
from files.uploads.queue import list_waiting, request_upload
from files.uploads.serializers import (
    AbortedSerializer,
    CompletionSerializer,
    ConfirmationBatchSerializer,
    PartUrlsRequestSerializer,
    PartUrlsSerializer,
    QueuedSerializer,
    QueueRequestSerializer,
    TicketSerializer,
    UploadBatchSerializer,
    UploadIdSerializer,
    UploadRequestSerializer,
    WaitingFileSerializer,
    read_file_id,
    read_order,
    represent_ticket,
)
from files.uploads.together import OrdersTogether, confirm_together, request_alone
from runs.lifecycle import find_active_run
from runs.models import Run
from wire.batches import ResultsSerializer, answer_each, try_to_read
from wire.clock import now
from wire.conditional import not_modified
from wire.inputs import read_body, read_change, read_query
from wire.lists.pagination import PageParams, paginate, present_page, read_window
from wire.lists.sparse import SparsePageParams, select_fields
from wire.negotiation import IgnoreAcceptNegotiation, asks_for_json
from wire.openapi import CHANGED_MEANWHILE, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, PURGED, page_serializer
from wire.outputs import make_presenter, represent
from wire.versions import answer_versioned, expected_versions, version_of

QUEUE_PER_PAGE = 100


class RunFileViewSet(ViewSet):
    """The files of one run."""

    tag = "Files"
    access = {"list": access.READ, "create": access.CREATE}

    @extend_schema(parameters=[FileListParams], responses={200: page_serializer(ListedFileSerializer)})
    def list(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """The files of a run, in natural order of their names."""
        window, asked = read_window(request.query_params), read_query(FileListParams, request.query_params)
        shown = SparsePageParams._declared_fields
        only = FileFilter(**{name: value for name, value in asked.items() if name not in shown})
        present = select_fields(represent_listed_file, request.query_params, row=ListedFileSerializer)
        files = list_files(instrument=instrument_id, run_id=run_id, only=only, by=caller_of(request))
        return Response(present_page(paginate(files, window), present))

    @extend_schema(request=NewFileSerializer, responses={200: FileSerializer, 201: FileSerializer})
    def create(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Record a file, or find the record that is there."""
        new = NewFile(**read_body(NewFileSerializer, request.data))
        recorded = record_file(instrument=instrument_id, run_id=run_id, new=new, by=caller_of(request), at=now())
        return Response(represent_file(recorded.file), status=201 if recorded.created else 200)


class FileViewSet(ViewSet):
    tag = "Files"
    access = {"retrieve": access.READ, "partial_update": access.CHANGE, "destroy": access.DISMISS}

    @extend_schema(parameters=[IF_NONE_MATCH], responses={200: FileDetailSerializer, 304: NOT_MODIFIED})
    def retrieve(self, request: Request, file_id: int) -> Response:
        """One file."""
        return answer_file(request, find_file(file_id, by=caller_of(request)))

    @extend_schema(
        request=FileChangeSerializer,
        parameters=[IF_MATCH],
        responses={200: FileDetailSerializer, 412: CHANGED_MEANWHILE},
    )
    def partial_update(self, request: Request, file_id: int) -> Response:
        """Change a record, or move it on.

        `uploaded` is believed only when the store has the bytes; of a file that is stored already it changes nothing.
        """
        change = FileChange(**read_change(FileChangeSerializer, request.data, record=FileSerializer))
        expected, by = expected_versions(request), caller_of(request)
        return answer_file(request, change_file(file_id, change=change, expected=expected, by=by, at=now()))

    @extend_schema(
        request=None, parameters=[IF_MATCH], responses={200: DismissedFileSerializer, 412: CHANGED_MEANWHILE}
    )
    def destroy(self, request: Request, file_id: int) -> Response:
        """Dismiss a file that is not uploaded yet. Its path stays dismissed."""
        expected, by = expected_versions(request), caller_of(request)
        dismissed = dismiss_file(file_id, expected=expected, by=by, at=now())
        return Response(represent(DismissedFileSerializer, dismissed))


class FileContentViewSet(ViewSet):
    """The bytes of one file."""

    tag = "Files"
    access = {"download": access.READ, "preview": access.READ}
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(
        parameters=[DownloadParams],
        responses={
            200: DownloadSerializer,
            302: OpenApiResponse(description="The pre-signed URL is in Location."),
            410: PURGED,
        },
    )
    def download(self, request: Request, file_id: int) -> HttpResponse:
        """Download a file: a redirect to a pre-signed URL, or that URL as JSON where Accept names it."""
        inline = read_query(DownloadParams, request.query_params).get("disposition") == "inline"
        download = sign_download(file_id, inline=inline, by=caller_of(request))
        if asks_for_json(request):
            return Response(represent(DownloadSerializer, download))
        return HttpResponseRedirect(download.download_url)

    @extend_schema(
        responses={
            (200, "application/json"): ARTEFACT_SCHEMA,
            (200, "image/png"): OpenApiTypes.BINARY,
            (200, "image/jpeg"): OpenApiTypes.BINARY,
            (200, "image/svg+xml"): OpenApiTypes.BINARY,
            304: NOT_MODIFIED,
            410: PURGED,
            412: CHANGED_MEANWHILE,
        }
    )
    def preview(self, request: Request, file_id: int) -> HttpResponse:
        """A processed artefact as it is, from the service's own address."""
        preview = find_preview(file_id, by=caller_of(request))
        headers = {"ETag": preview.etag, "Cache-Control": "private, no-cache"}
        if known := not_modified(request, headers):
            return known
        headers |= {"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff"}
        return HttpResponse(preview.read(), content_type=preview.content_type, headers=headers)


class UploadViewSet(ViewSet):
    tag = "Uploads"
    access = {
        **dict.fromkeys(("queue", "request_url", "request_urls", "part_urls", "complete", "abort"), access.UPLOAD),
        "confirm": access.CHANGE,
    }

    @extend_schema(request=QueueRequestSerializer, responses={200: QueuedSerializer})
    def queue(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Ask the watcher for files (manual mode): all of them are queued, or none."""
        asked = read_body(QueueRequestSerializer, request.data)
        queued = request_upload(instrument=instrument_id, run_id=run_id, **asked, by=caller_of(request), at=now())
        return Response(represent(QueuedSerializer, queued))

    @extend_schema(request=UploadRequestSerializer, responses={200: TicketSerializer})
    def request_url(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Where to send the bytes of a file. Its record is found or made."""
        return Response(request_ticket(request.data, instrument=instrument_id, run_id=run_id, by=caller_of(request)))

    @extend_schema(request=UploadBatchSerializer, responses={200: ResultsSerializer})
    def request_urls(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Where to send the bytes of up to 200 files, each answered as request-upload-url would.

        One that is refused refuses no other.
        """
        asked, by = read_body(UploadBatchSerializer, request.data), caller_of(request)
        find_active_run(instrument=instrument_id, run_id=run_id, by=by)
        orders = [try_to_read(read_order, body) for body in asked["files"]]
        together = OrdersTogether(orders, instrument=instrument_id, run_id=run_id, by=by, at=now())
        return Response(answer_each(orders, lambda order: represent_ticket(together.open_ticket(order))))

    @extend_schema(request=ConfirmationBatchSerializer, responses={200: ResultsSerializer})
    def confirm(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Say that the bytes of up to 200 files of this run are sent, each answered as PATCH of the file would.

        One that is refused refuses no other.
        """
        asked, by = read_body(ConfirmationBatchSerializer, request.data), caller_of(request)
        run = find_active_run(instrument=instrument_id, run_id=run_id, by=by)
        file_ids = [try_to_read(read_file_id, entry) for entry in asked["file_ids"]]
        known = [one for one in file_ids if isinstance(one, int)]
        accepted = confirm_together(known, run=run, by=by, at=now())
        return Response(answer_each(file_ids, partial(confirm_file, accepted=accepted, run=run, by=by)))

    @extend_schema(request=PartUrlsRequestSerializer, responses={200: PartUrlsSerializer})
    def part_urls(self, request: Request, file_id: int) -> Response:
        """A signed URL for each part. A part may be asked for again."""
        asked = read_body(PartUrlsRequestSerializer, request.data)
        parts = [PartChecksum(**part) for part in asked["parts"]]
        signed = sign_parts(file_id, upload_id=asked["upload_id"], parts=parts, by=caller_of(request))
        return Response(represent(PartUrlsSerializer, {"parts": signed}))

    @extend_schema(request=CompletionSerializer, responses={200: FileSerializer})
    def complete(self, request: Request, file_id: int) -> Response:
        """Put the parts together. Their CRC32s combined must be the file's."""
        asked = read_body(CompletionSerializer, request.data)
        sent = [SentPart(**part) for part in asked["parts"]]
        by = caller_of(request)
        return Response(
            represent_file(complete_upload(file_id, upload_id=asked["upload_id"], parts=sent, by=by, at=now()))
        )

    @extend_schema(request=UploadIdSerializer, responses={200: AbortedSerializer})
    def abort(self, request: Request, file_id: int) -> Response:
        """Drop an open multipart upload and its parts."""
        asked = read_body(UploadIdSerializer, request.data)
        aborted = abort_upload(file_id, **asked, by=caller_of(request))
        return Response({"file_id": file_id, "aborted": aborted})


class ReportItemViewSet(ViewSet):
    tag = "Files"
    access = {"list": access.READ}

    @extend_schema(parameters=[ReportItemParams], responses={200: ReportItemsSerializer})
    def list(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """What a run's report shows, in natural order."""
        window = ReportWindow(**read_query(ReportItemParams, request.query_params))
        found = list_report_items(instrument=instrument_id, run_id=run_id, window=window, by=caller_of(request))
        pagination: dict[str, Any] = {"offset": found.offset, "limit": found.limit, "total": found.total}
        if found.anchor_index is not None:
            pagination["anchor_index"] = found.anchor_index
        items = [{"id": item.pk, "filename": item.filename} for item in found.items]
        return Response({"data": items, "pagination": pagination})


class UploadQueueViewSet(ViewSet):
    tag = "Watchers"
    access = {"list": access.QUEUE}

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(WaitingFileSerializer)})
    def list(self, request: Request, watcher_id: UUID) -> Response:
        """What a watcher is asked to upload, the oldest request first."""
        window = read_window(request.query_params, per_page=QUEUE_PER_PAGE)
        waiting = list_waiting(watcher_id, by=caller_of(request))
        return Response(present_page(paginate(waiting, window), make_presenter(WaitingFileSerializer)))


def request_ticket(body: Any, *, instrument: str, run_id: str, by: Caller) -> dict[str, Any]:
    ticket = request_alone(read_order(body), instrument=instrument, run_id=run_id, by=by, at=now())
    return represent_ticket(ticket)


def confirm_file(file_id: int, *, accepted: Mapping[int, File], run: Run, by: Caller) -> dict[str, Any]:
    if file_id in accepted:
        return represent_file_detail(accepted[file_id])
    if find_file(file_id, by=by).run_id != run.pk:
        raise FileMissing
    return represent_file_detail(change_file(file_id, change=FileChange(status=FileStatus.UPLOADED), by=by, at=now()))


def answer_file(request: Request, file: File) -> Response:
    return answer_versioned(request, represent_file_detail(file), version=version_of(*file.changeable_values))
