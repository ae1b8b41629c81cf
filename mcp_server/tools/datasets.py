"""Tools: what was measured, as numbers."""

import base64
from typing import Annotated, Any
from uuid import UUID

from mcp.types import ContentBlock, ImageContent
from pydantic import Field, SkipValidation, WithJsonSchema
from rest_framework import serializers

from accounts.callers import Caller
from datasets import access, catalogue
from datasets.comparison import compare, draw_comparison
from datasets.head import read_head
from datasets.models import DatasetKind
from datasets.row_formats import build_json
from datasets.rows import read_rows
from datasets.serializers import (
    MAX_LATEST,
    DatasetFilterParams,
    DatasetSerializer,
    RowParams,
    RowsSerializer,
    represent_dataset,
    to_filter,
    to_request,
)
from datasets.stacking import read_stacked_rows
from mcp_server.arguments import Cursor, IncludeDeleted, Page, PathArgument, PerPage, as_query
from mcp_server.pages import present_rows
from mcp_server.results import ABRIDGED_BYTES, count_json_bytes
from mcp_server.run_filters import (
    DateFrom,
    DateTo,
    InstrumentIds,
    MetadataFilter,
    PartOfRunId,
    ProjectId,
    RanBy,
    Source,
    Statuses,
    Tags,
    UpdatedSince,
    Words,
    read_run_filters,
)
from mcp_server.schemas import like, list_schema, object_schema, page_schema, serializer_schema
from mcp_server.toolbox import Toolbox
from wire import converters
from wire.clock import now
from wire.errors import ValidationError
from wire.fields import QueryInteger
from wire.inputs import read_query
from wire.lists.pagination import paginate, read_window

DEFAULT_ROWS, HEAD_ROWS = 200, 5
tools = Toolbox()


class LatestParams(serializers.Serializer[Any]):
    latest = QueryInteger(min_value=1, max_value=MAX_LATEST, required=False)


DATASET_SCHEMA = like("a row of list_datasets", head={"type": "array"}, statistics={"type": "object"})
DatasetId = Annotated[
    UUID,
    SkipValidation,
    WithJsonSchema({"type": "string", "format": "uuid"}),
    Field(description="`id` in list_datasets."),
    PathArgument(converters.UuidConverter()),
]
Names = Annotated[list[str] | str | None, Field(description="Columns, in the order of the answer.")]
Where = Annotated[
    list[str] | str | None,
    Field(
        description="All must hold: `well:eq:H7`, `wavelength:ge:280`, `sample:in:S1,S2`; "
        "eq, ne, lt, le, gt, ge, in, contains, is_null."
    ),
]
OrderBy = Annotated[str, Field(description="A column; `-<column>`: the greatest first.")]
GroupBy = Annotated[list[str] | str | None, Field(description="Columns whose values make groups.")]
Aggregates = Annotated[
    list[str] | str | None,
    Field(description="`mean:value`; count, min, max, mean, median, sum, stddev, first, last."),
]
MaxPoints = Annotated[int | None, Field(description="Thin each trace to so many (10 or more), extremes kept.")]
Limit = Annotated[int | None, Field(description="Rows, 200 when absent; fewer where too long.")]
Offset = Annotated[int, Field(description="Rows to skip: `pagination.next_offset`.")]


@tools.tool(access.READ, gives=page_schema(DatasetSerializer))
def list_datasets(
    by: Caller,
    instrument_id: InstrumentIds = None,
    name: Annotated[list[str] | str | None, Field(description="Names, as `plate_absorbance`.")] = None,
    kind: Annotated[list[DatasetKind] | DatasetKind | None, Field(description="What the table holds.")] = None,
    column: Annotated[list[str] | str | None, Field(description="That have one of these columns.")] = None,
    q: Words = "",
    search: PartOfRunId = "",
    status: Statuses = None,
    ran_by: RanBy = "",
    source: Source = None,
    date_from: DateFrom = "",
    date_to: DateTo = "",
    metadata: MetadataFilter = None,
    tag: Tags = None,
    project_id: ProjectId = "",
    updated_since: UpdatedSince = "",
    include_deleted: IncludeDeleted = False,
    page: Page = None,
    per_page: PerPage = None,
    cursor: Cursor = "",
) -> dict[str, Any]:
    """The tables of numbers that were measured, the newest first: their columns with units, and how many rows."""
    runs = read_run_filters(
        instrument_id=instrument_id,
        q=q,
        search=search,
        status=status,
        ranBy=ran_by,
        source=source,
        date_from=date_from,
        date_to=date_to,
        tag=tag,
        project_id=project_id,
        updated_since=updated_since,
        include_deleted=include_deleted,
        metadata=metadata,
        by=by,
    )
    only = to_filter(read_query(DatasetFilterParams, as_query(name=name, kind=kind, column=column)))
    found = catalogue.search_datasets(runs, only=only, by=by, at=now())
    window = read_window(as_query(page=page, per_page=per_page, cursor=cursor))
    return present_rows(paginate(found, window), represent_dataset)


@tools.tool(access.READ, gives=DATASET_SCHEMA)
def get_dataset(by: Caller, dataset_id: DatasetId) -> dict[str, Any]:
    """One table of numbers: its columns with units, its first rows, and least, greatest and missing of each column."""
    dataset = catalogue.find_dataset(dataset_id, by=by)
    more = {"head": read_head(dataset, rows=HEAD_ROWS), "statistics": dataset.statistics}
    return represent_dataset(dataset) | more


@tools.tool(access.READ, gives=serializer_schema(RowsSerializer))
def read_dataset(
    by: Caller,
    dataset_id: DatasetId,
    columns: Names = None,
    where: Where = None,
    order_by: OrderBy = "",
    group_by: GroupBy = None,
    aggregate: Aggregates = None,
    max_points: MaxPoints = None,
    limit: Limit = None,
    offset: Offset = 0,
) -> dict[str, Any]:
    """The rows of one table of numbers: chosen, ordered, grouped or thinned. Every number is whole.

    Where not all rows fit, `pagination.next_offset` says where to go on.
    """
    query = row_query(columns, where, order_by, group_by, aggregate, max_points, limit, offset)
    asked = to_request(read_query(RowParams, query))
    return fit_rows(build_json(read_rows(catalogue.find_dataset(dataset_id, by=by), asked)))


@tools.tool(access.READ, gives=serializer_schema(RowsSerializer))
def query_datasets(
    by: Caller,
    name: Annotated[str, Field(description="A dataset's `name` in list_datasets.")],
    instrument_id: InstrumentIds = None,
    q: Words = "",
    search: PartOfRunId = "",
    status: Statuses = None,
    ran_by: RanBy = "",
    source: Source = None,
    date_from: DateFrom = "",
    date_to: DateTo = "",
    metadata: MetadataFilter = None,
    tag: Tags = None,
    project_id: ProjectId = "",
    updated_since: UpdatedSince = "",
    include_deleted: IncludeDeleted = False,
    latest: Annotated[
        int | None, Field(description="Only so many of the newest runs that have it: 1 for the last.")
    ] = None,
    columns: Names = None,
    where: Where = None,
    order_by: OrderBy = "",
    group_by: GroupBy = None,
    aggregate: Aggregates = None,
    max_points: MaxPoints = None,
    limit: Limit = None,
    offset: Offset = 0,
) -> dict[str, Any]:
    """One table over all runs that the filters find: the rows of their datasets of one name, one below the other.

    The first columns say where a row is from: instrument_id, run_id, acquired_at, filename; group by them, or choose.
    Rows begin with the newest run; groups come in the order of their keys, so that `limit` does not choose runs:
    `latest` does.
    """
    query = row_query(columns, where, order_by, group_by, aggregate, max_points, limit, offset)
    asked = to_request(read_query(RowParams, query))
    newest = read_query(LatestParams, as_query(latest=latest)).get("latest")
    runs = read_run_filters(
        instrument_id=instrument_id,
        q=q,
        search=search,
        status=status,
        ranBy=ran_by,
        source=source,
        date_from=date_from,
        date_to=date_to,
        tag=tag,
        project_id=project_id,
        updated_since=updated_since,
        include_deleted=include_deleted,
        metadata=metadata,
        by=by,
    )
    answer = build_json(read_stacked_rows(name, runs, asked, latest=newest, by=by, at=now()))
    if not answer["pagination"]["total"]:
        catalogue.refuse_unknown_name(name, by=by)
    return fit_rows(answer)


@tools.tool(
    access.READ,
    gives=object_schema(
        axis={"type": "object"}, value={"type": "object"}, data=list_schema({"type": "array"}), series=list_schema({})
    ),
)
def compare_datasets(
    by: Caller,
    dataset_ids: Annotated[list[str], Field(description="`id`s of 2 to 10 that have the same axis.")],
    value: Annotated[str, Field(description="The column to compare; the first of the role `value` when absent.")] = "",
) -> tuple[dict[str, Any], list[ContentBlock]]:
    """Curves side by side: one row for each place on their common axis, one column for each dataset, and a picture."""
    converter = converters.UuidConverter()
    ids = [PathArgument(converter).read(one) for one in dict.fromkeys(dataset_ids)]
    if not 2 <= len(ids) <= 10:
        raise ValidationError(fields={"dataset_ids": ["2 to 10 different datasets are needed."]})
    compared = compare([catalogue.find_dataset(one, by=by) for one in ids], value=value)
    picture = base64.b64encode(draw_comparison(compared)).decode()
    return fit_rows(compared.as_json()), [ImageContent(type="image", data=picture, mime_type="image/png")]


def row_query(
    columns: list[str] | str | None,
    where: list[str] | str | None,
    order_by: str,
    group_by: list[str] | str | None,
    aggregate: list[str] | str | None,
    max_points: int | None,
    limit: int | None,
    offset: int,
) -> Any:
    return as_query(
        columns=join_names(columns),
        where=where,
        order_by=order_by,
        group_by=join_names(group_by),
        aggregate=aggregate,
        max_points=max_points,
        limit=min(limit, 1_000) if limit is not None else DEFAULT_ROWS,
        offset=offset,
    )


def join_names(names: list[str] | str | None) -> str | None:
    return ",".join(names) if isinstance(names, list) else names


def fit_rows(answer: dict[str, Any]) -> dict[str, Any]:
    """As many whole rows as an answer may hold, and where to go on."""
    rows, pagination = answer["data"], dict(answer.get("pagination", {}))
    room = ABRIDGED_BYTES - count_json_bytes({**answer, "data": [], "pagination": pagination}) - 50
    kept: list[Any] = []
    for row in rows:
        room -= count_json_bytes(row) + 1
        if room < 0 and kept:
            break
        kept.append(row)
    if pagination:
        reached = pagination["offset"] + len(kept)
        pagination["next_offset"] = reached if reached < pagination["total"] else None
        return {**answer, "data": kept, "pagination": pagination}
    return {**answer, "data": kept, "left_out": len(rows) - len(kept)}
