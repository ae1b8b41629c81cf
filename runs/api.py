"""REST: runs, their list and search, claims, filter options."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from datasets.negotiation import STREAMED_RESPONSES, answer_export
from files.intake.reporting import report_run, update_run
from files.listing import count_statuses, list_first_files
from files.records import NewFile
from files.serializers import represent_file
from instruments.catalogue import find_instrument
from runs import access, claims, lifecycle
from runs.eln.links import list_links
from runs.filter_options import list_filter_options
from runs.models import Run
from runs.rows import represent_run
from runs.search import search_runs
from runs.serializers import (
    AllRunsSearchParams,
    AttributionsSerializer,
    DeletedRunSerializer,
    FilterOptionsSerializer,
    NewRunSerializer,
    RestoredRunSerializer,
    RunChangeSerializer,
    RunDetailSerializer,
    RunSearchParams,
    RunSerializer,
    TagsSerializer,
    read_run_search,
    read_search_of_instrument,
)
from runs.tags import change_tags
from wire.clock import now
from wire.inputs import read_body, read_change
from wire.lists.pagination import present_page, read_window
from wire.lists.sparse import read_fields, select_fields
from wire.openapi import CHANGED_MEANWHILE, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, PURGED, page_serializer
from wire.outputs import represent
from wire.versions import answer_versioned, expected_versions, version_of

MAX_FILES_IN_RUN_DETAIL = 1_000
METADATA_PARAMETER = OpenApiParameter(  # metadata[plate]=P7, metadata[wavelength_nm][gt]=300
    "metadata",
    {
        "type": "object",
        "additionalProperties": {
            "anyOf": [
                {"type": "string"},
                {
                    "type": "object",
                    "properties": {
                        **{name: {"type": "string"} for name in ("gt", "ge", "lt", "le", "ne")},
                        "contains": {"type": "string", "minLength": 1},
                        "exists": {"type": "string", "enum": ["true", "false"]},
                    },
                    "additionalProperties": False,
                },
            ]
        },
        "propertyNames": {"pattern": r"^[A-Za-z0-9_.-]{1,64}$"},
    },
    style="deepObject",
    explode=True,
    description=(
        "`metadata[<key>]=<value>`, each of which must hold: it equals the stored text, number or boolean, "
        "or is a member of a stored array. `metadata.<key>=<value>` is the same. "
        "`metadata[<key>][gt|ge|lt|le|ne|contains|exists]=<value>` compare, numbers with stored numbers; "
        "`ne` wants another value, not none; `contains` is in any case."
    ),
)

LIST_RESPONSES = {(200, "application/json"): page_serializer(RunSerializer)} | STREAMED_RESPONSES


class RunSearchViewSet(ViewSet):
    tag = "Runs"
    access = {"list": access.READ}

    @extend_schema(parameters=[AllRunsSearchParams, METADATA_PARAMETER], responses=LIST_RESPONSES)
    def list(self, request: Request) -> HttpResponseBase:
        """Find runs across all instruments."""
        by, window = caller_of(request), read_window(request.query_params)
        search = read_run_search(request.query_params, by=by)
        only = read_fields(request.query_params, row=RunSerializer)
        if exported := answer_export(request.query_params.get("format"), search, only=only, by=by, at=now()):
            return exported
        present = select_fields(represent_run, request.query_params, row=RunSerializer)
        page = search_runs(search, window=window, by=by, at=now())
        return Response(present_page(page, present))


class RunViewSet(ViewSet):
    tag = "Runs"
    access = {
        "list": access.READ,
        "create": access.CREATE,
        "retrieve": access.READ,
        "partial_update": access.CHANGE,
        "destroy": access.DELETE,
        "restore": access.DELETE,
    }

    @extend_schema(parameters=[RunSearchParams, METADATA_PARAMETER], responses=LIST_RESPONSES)
    def list(self, request: Request, instrument_id: str) -> HttpResponseBase:
        """Find runs of one instrument."""
        by, window = caller_of(request), read_window(request.query_params)
        search = read_search_of_instrument(request.query_params, instrument=instrument_id, by=by)
        find_instrument(instrument_id, by=by)
        only = read_fields(request.query_params, row=RunSerializer)
        if exported := answer_export(request.query_params.get("format"), search, only=only, by=by, at=now()):
            return exported
        present = select_fields(represent_run, request.query_params, row=RunSerializer)
        page = search_runs(search, window=window, by=by, at=now())
        return Response(present_page(page, present))

    @extend_schema(request=NewRunSerializer, responses={200: RunSerializer, 201: RunSerializer})
    def create(self, request: Request, instrument_id: str) -> Response:
        """Report a run, or find the one that is there."""
        by, asked = caller_of(request), read_body(NewRunSerializer, request.data)
        detected = to_new_files(asked.pop("detected_files", []))
        report = lifecycle.RunReport(**asked)
        opened = report_run(instrument=instrument_id, report=report, detected=detected, by=by, at=now())
        shown = lifecycle.describe_run(instrument=instrument_id, run_id=report.run_id, by=by)
        return Response(represent_run(shown), status=201 if opened.created else 200)

    @extend_schema(parameters=[IF_NONE_MATCH], responses={200: RunDetailSerializer, 304: NOT_MODIFIED})
    def retrieve(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """One run with its files."""
        run = lifecycle.describe_run(instrument=instrument_id, run_id=run_id, by=caller_of(request))
        files = list_first_files(run, limit=MAX_FILES_IN_RUN_DETAIL)
        shown = {
            **represent_run(run),
            "own_metadata": run.caller_metadata,
            "files": [represent_file(file) for file in files],
            "file_status_counts": count_statuses(run, files, limit=MAX_FILES_IN_RUN_DETAIL),
            "links": represent_links(run),
        }
        return answer_versioned(request, shown, version=version_of(*run.changeable_values))

    @extend_schema(
        request=RunChangeSerializer, parameters=[IF_MATCH], responses={200: RunSerializer, 412: CHANGED_MEANWHILE}
    )
    def partial_update(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Change a run or report more of its files."""
        by, asked = caller_of(request), read_change(RunChangeSerializer, request.data, record=RunSerializer)
        detected, change = to_new_files(asked.pop("detected_files", [])), lifecycle.RunChange(**asked)
        update_run(
            instrument=instrument_id,
            run_id=run_id,
            change=change,
            detected=detected,
            expected=expected_versions(request),
            by=by,
            at=now(),
        )
        run = lifecycle.describe_run(instrument=instrument_id, run_id=run_id, by=by)
        return answer_versioned(request, represent_run(run), version=version_of(*run.changeable_values))

    @extend_schema(request=None, parameters=[IF_MATCH], responses={200: DeletedRunSerializer, 412: CHANGED_MEANWHILE})
    def destroy(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Hide a run; it can be restored."""
        deleted = lifecycle.delete_run(
            instrument=instrument_id,
            run_id=run_id,
            expected=expected_versions(request),
            by=caller_of(request),
            at=now(),
        )
        return Response(represent(DeletedRunSerializer, deleted))

    @extend_schema(request=None, responses={200: RestoredRunSerializer, 410: PURGED})
    def restore(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Bring a deleted run back."""
        restored = lifecycle.restore_run(instrument=instrument_id, run_id=run_id, by=caller_of(request))
        return Response(represent(RestoredRunSerializer, restored))


class ClaimViewSet(ViewSet):
    tag = "Runs"
    access = {"update": access.CLAIM, "destroy": access.CLAIM}

    @extend_schema(request=None, responses={200: AttributionsSerializer})
    def update(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Claim a run for oneself."""
        run = claims.claim_run(instrument=instrument_id, run_id=run_id, by=caller_of(request), at=now())
        return Response(represent(AttributionsSerializer, run))

    @extend_schema(request=None, responses={200: AttributionsSerializer})
    def destroy(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Take one's claim back."""
        run = claims.unclaim_run(instrument=instrument_id, run_id=run_id, by=caller_of(request))
        return Response(represent(AttributionsSerializer, run))


class TagViewSet(ViewSet):
    tag = "Runs"
    access = {"update": access.TAG, "destroy": access.TAG}

    @extend_schema(request=None, responses={200: TagsSerializer})
    def update(self, request: Request, instrument_id: str, run_id: str, tag: str) -> Response:
        """Put a tag on a run. Repeating it is safe."""
        run = change_tags(instrument=instrument_id, run_id=run_id, add=[tag], by=caller_of(request)).run
        return Response({"tags": run.tags})

    @extend_schema(request=None, responses={200: TagsSerializer})
    def destroy(self, request: Request, instrument_id: str, run_id: str, tag: str) -> Response:
        """Take a tag off a run. Repeating it is safe."""
        run = change_tags(instrument=instrument_id, run_id=run_id, remove=[tag], by=caller_of(request)).run
        return Response({"tags": run.tags})


class FilterOptionsViewSet(ViewSet):
    tag = "Instruments"
    access = {"retrieve": access.FILTER_OPTIONS}

    @extend_schema(responses={200: FilterOptionsSerializer})
    def retrieve(self, request: Request, instrument_id: str) -> Response:
        """The metadata keys and values of an instrument's active runs, the most frequent first."""
        return Response({"data": list_filter_options(instrument_id, by=caller_of(request))})


def represent_links(run: Run) -> list[dict[str, str]]:
    return [asdict(link) for link in list_links(run)]


def to_new_files(asked: Sequence[Mapping[str, Any]]) -> list[NewFile]:
    return [NewFile(**file) for file in asked]
