"""REST: asking for an archive, and the jobs that external workers build."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseRedirect
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from archives import access, jobs
from archives import external_worker as external
from archives.downloads import sign_archive_download
from archives.models import ArchiveJob, ArchiveStatus
from archives.serializers import (
    ArchiveDownloadParams,
    ArchiveJobSerializer,
    ArchiveOrderSerializer,
    BuildingArchiveSerializer,
    BuildReportSerializer,
    ReadyArchiveSerializer,
)
from wire.clock import now
from wire.inputs import read_body, read_query
from wire.negotiation import IgnoreAcceptNegotiation, asks_for_json
from wire.openapi import PURGED
from wire.outputs import represent


class ArchiveViewSet(ViewSet):
    access = {"retrieve": access.DOWNLOAD}
    tag = "Archives"
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(
        parameters=[ArchiveDownloadParams],
        responses={
            200: ReadyArchiveSerializer,
            202: BuildingArchiveSerializer,
            302: OpenApiResponse(description="Ready: the pre-signed URL of the ZIP is in Location."),
            410: PURGED,
        },
    )
    def retrieve(self, request: Request, instrument_id: str, run_id: str) -> HttpResponse:
        """Download a run, or some of its files, as one ZIP.

        The first request starts the build and answers 202; repeating it polls. While a failed build stands
        (ten minutes) the answer is 409 with the reason.
        """
        asked = read_query(ArchiveDownloadParams, request.query_params)
        job = jobs.request_archive(
            instrument=instrument_id,
            run_id=run_id,
            file_ids=asked.get("file_ids"),
            by=caller_of(request),
            at=now(),
        )
        return answer_with_archive(request, job)


class CrateViewSet(ViewSet):
    access = {"retrieve": access.DOWNLOAD}
    tag = "Archives"
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(
        parameters=[ArchiveDownloadParams],
        responses={
            200: ReadyArchiveSerializer,
            202: BuildingArchiveSerializer,
            302: OpenApiResponse(description="Ready: the pre-signed URL of the ZIP is in Location."),
            410: PURGED,
        },
    )
    def retrieve(self, request: Request, instrument_id: str, run_id: str) -> HttpResponse:
        """Download a run, or some of its files, as an RO-Crate 1.2 in one ZIP.

        Packed, polled and answered as download-archive is; beside the files stands ro-crate-metadata.json, and in
        manifest.json what another service needs to import the run.
        """
        asked = read_query(ArchiveDownloadParams, request.query_params)
        job = jobs.request_crate(
            instrument=instrument_id,
            run_id=run_id,
            file_ids=asked.get("file_ids"),
            by=caller_of(request),
            at=now(),
        )
        return answer_with_archive(request, job)


class ArchiveJobViewSet(ViewSet):
    access = {"retrieve": access.READ_JOB, "partial_update": access.REPORT_JOB}
    tag = "Archives"

    @extend_schema(responses={200: ArchiveOrderSerializer})
    def retrieve(self, request: Request, job_id: UUID) -> Response:
        """The job with its members and, while it is being built, where to put the ZIP. The URLs are fresh."""
        job = jobs.find_job(job_id, by=caller_of(request))
        return Response(build_job_answer(job))

    @extend_schema(request=BuildReportSerializer, responses={200: ArchiveJobSerializer})
    def partial_update(self, request: Request, job_id: UUID) -> Response:
        """Report a build as ready or failed. Ready is believed only when the ZIP is in the store."""
        asked = read_body(BuildReportSerializer, request.data)
        job = jobs.report_build(
            job_id,
            status=ArchiveStatus(asked["status"]),
            size_bytes=asked.get("size_bytes"),
            error_message=asked.get("error_message"),
            by=caller_of(request),
            at=now(),
        )
        return Response(represent(ArchiveJobSerializer, job))


def build_job_answer(job: ArchiveJob) -> dict[str, Any]:
    return {**represent(ArchiveJobSerializer, job), **external.build_order(job)}


def answer_with_archive(request: Request, job: ArchiveJob) -> HttpResponse:
    """202 while it is built, then its URL: as JSON where that is asked for, else as a redirect."""
    if job.status == ArchiveStatus.BUILDING:
        return Response({"status": job.status, "job_id": str(job.pk)}, status=202)
    download = sign_archive_download(job)
    if asks_for_json(request):
        return Response(represent(ReadyArchiveSerializer, download))
    return HttpResponseRedirect(download.download_url)
