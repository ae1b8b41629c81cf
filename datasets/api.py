"""REST: datasets, and their rows in the format that is asked for."""

from dataclasses import replace
from uuid import UUID

from django.http.response import HttpResponse, HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from datasets import access, catalogue
from datasets.columns import refuse
from datasets.head import read_head
from datasets.negotiation import STREAMED_RESPONSES, answer_streamed, choose_format
from datasets.requests import abandonment_of
from datasets.row_formats import MEDIA_TYPES, RowFormat, encode_json, stream_rows
from datasets.row_query import RowRequest
from datasets.rows import RowsAnswer, read_rows
from datasets.serializers import (
    DEFAULT_LIMIT,
    MAX_JSON_ROWS,
    DatasetDetailSerializer,
    DatasetFilterParams,
    DatasetSerializer,
    RowParams,
    RowsSerializer,
    StackedRowParams,
    represent_dataset,
    to_filter,
    to_request,
)
from datasets.stacking import read_stacked_rows
from runs.api import METADATA_PARAMETER
from runs.serializers import read_run_search
from wire.clock import now
from wire.inputs import read_query
from wire.lists.pagination import PageParams, paginate, present_page, read_window
from wire.negotiation import IgnoreAcceptNegotiation
from wire.openapi import PURGED, page_serializer

HEAD_ROWS = 20
ROWS_RESPONSES = {(200, "application/json"): RowsSerializer} | STREAMED_RESPONSES


class DatasetListViewSet(ViewSet):
    tag = "Datasets"
    access = {"of_run": access.READ, "of_file": access.READ, "search": access.READ}

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(DatasetSerializer)})
    def of_run(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """The datasets of a run, by source file, then name."""
        window = read_window(request.query_params)
        found = catalogue.list_datasets_of_run(instrument=instrument_id, run_id=run_id, by=caller_of(request))
        return Response(present_page(paginate(found, window), represent_dataset))

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(DatasetSerializer)})
    def of_file(self, request: Request, file_id: int) -> Response:
        """What was found in a file."""
        window = read_window(request.query_params)
        found = catalogue.list_datasets_of_file(file_id, by=caller_of(request))
        return Response(present_page(paginate(found, window), represent_dataset))

    @extend_schema(
        parameters=[DatasetFilterParams, METADATA_PARAMETER], responses={200: page_serializer(DatasetSerializer)}
    )
    def search(self, request: Request) -> Response:
        """Datasets of all runs that the filters find, the newest first."""
        window, by = read_window(request.query_params), caller_of(request)
        asked = read_query(DatasetFilterParams, request.query_params)
        find = catalogue.search_one_of_each_name if "one_of_each" in asked else catalogue.search_datasets
        found = find(read_run_search(request.query_params, by=by), only=to_filter(asked), by=by, at=now())
        return Response(present_page(paginate(found, window), represent_dataset))


class DatasetViewSet(ViewSet):
    tag = "Datasets"
    access = {"retrieve": access.READ, "rows": access.READ}
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(responses={200: DatasetDetailSerializer, 410: PURGED})
    def retrieve(self, request: Request, dataset_id: UUID) -> Response:
        """One dataset, with its first rows and what is known of each column."""
        dataset = catalogue.find_dataset(dataset_id, by=caller_of(request))
        more = {"head": read_head(dataset, rows=HEAD_ROWS), "statistics": dataset.statistics}
        return Response(represent_dataset(dataset) | more)

    @extend_schema(parameters=[RowParams], responses=ROWS_RESPONSES | {410: PURGED})
    def rows(self, request: Request, dataset_id: UUID) -> HttpResponseBase:
        """Its rows: chosen, ordered, grouped or thinned, in the format that is asked for."""
        asked = read_query(RowParams, request.query_params)
        form = choose_format(request.headers.get("Accept", ""), asked.get("format"))
        wanted = bound_request(to_request(asked), form)
        dataset = catalogue.find_rows(dataset_id, by=caller_of(request))
        answer = read_rows(
            dataset, wanted, with_total=form is RowFormat.JSON, abandonment=abandonment_of(request._request)
        )
        return answer_rows(answer, form, filename=dataset.name, units=asked.get("units", False))


class StackedRowsViewSet(ViewSet):
    tag = "Datasets"
    access = {"list": access.READ}
    content_negotiation_class = IgnoreAcceptNegotiation

    @extend_schema(parameters=[StackedRowParams, METADATA_PARAMETER], responses=ROWS_RESPONSES)
    def list(self, request: Request) -> HttpResponseBase:
        """The rows of all datasets of one name, one below the other, under the runs that the filters find."""
        by, asked = caller_of(request), read_query(StackedRowParams, request.query_params)
        form = choose_format(request.headers.get("Accept", ""), asked.get("format"))
        answer = read_stacked_rows(
            asked["name"],
            read_run_search(request.query_params, by=by),
            bound_request(to_request(asked), form),
            by=by,
            at=now(),
            runs=asked.get("run", ()),
            latest=asked.get("latest"),
            with_total=form is RowFormat.JSON,
            abandonment=abandonment_of(request._request),
        )
        return answer_rows(answer, form, filename="dataset-rows", units=asked.get("units", False))


def bound_request(asked: RowRequest, form: RowFormat) -> RowRequest:
    """JSON is held in memory, so it has a limit."""
    if form is not RowFormat.JSON:
        return asked
    if asked.limit is not None and asked.limit > MAX_JSON_ROWS:
        raise refuse("limit", f"Of JSON {MAX_JSON_ROWS:,} rows are the most; other formats have no limit.")
    return replace(asked, limit=asked.limit or DEFAULT_LIMIT)


def answer_rows(answer: RowsAnswer, form: RowFormat, *, filename: str, units: bool) -> HttpResponseBase:
    if form is RowFormat.JSON:
        return HttpResponse(encode_json(answer), content_type=MEDIA_TYPES[form])
    return answer_streamed(stream_rows(answer, form, units=units), form, filename=filename)
