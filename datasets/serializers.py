"""Wire shapes of datasets, and the query parameters of their lists and rows."""

from collections.abc import Mapping
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from datasets.catalogue import DatasetFilter
from datasets.models import Dataset, DatasetKind
from datasets.row_formats import RowFormat
from datasets.row_query import RowRequest
from runs.serializers import AllRunsSearchParams
from wire.clock import format_timestamp
from wire.fields import MAX_BIGINT, Choice, QueryBoolean, QueryInteger, Text, Timestamp, Uuid
from wire.lists.sparse import SparsePageParams

DEFAULT_LIMIT, MAX_JSON_ROWS, MAX_LATEST = 1_000, 100_000, 1_000
MIN_POINTS, MAX_POINTS = 10, 100_000
MAX_RUNS = 1_000
NAMES = r"^[a-z][a-z0-9_]*(,[a-z][a-z0-9_]*)*$"
RUN_KEY_PATTERN = r"^[^/\x00-\x1f\x7f-\x9f]+/[^\x00-\x1f\x7f-\x9f]+$"
TYPES = ("float64", "float32", "int64", "bool", "string", "timestamp")
ROLES = ("axis", "step", "key", "value", "label")


class ColumnSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    type = Choice(choices=[(one, one) for one in TYPES])
    unit = serializers.CharField(allow_null=True)
    role = Choice(choices=[(one, one) for one in ROLES], allow_null=True)
    title = serializers.CharField()


class ProcessorSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    version = serializers.CharField()


class DatasetSerializer(serializers.Serializer[Any]):
    """One table of typed columns that a processor found in a file."""

    id = Uuid()
    name = serializers.CharField(help_text="The same for the same kind of table of the same format.")
    title = serializers.CharField()
    kind = Choice(choices=DatasetKind.choices)
    instrument_id = serializers.CharField()
    run_id = serializers.CharField()
    source_file_id = serializers.IntegerField()
    source_filename = serializers.CharField()
    file_id = serializers.IntegerField(help_text="The record of the Parquet file.")
    processor = ProcessorSerializer()
    columns = ColumnSerializer(many=True)
    row_count = serializers.IntegerField()
    size_bytes = serializers.IntegerField(help_text="Of the Parquet file.")
    created_at = Timestamp()


class StatisticsSerializer(serializers.Serializer[Any]):
    min = serializers.JSONField(allow_null=True)
    max = serializers.JSONField(allow_null=True)
    null_count = serializers.IntegerField()
    distinct_count = serializers.IntegerField(allow_null=True, help_text="Null above 10,000.")


@extend_schema_field({"type": "array", "items": {}})
class RowField(serializers.ListField):
    """One row, as an array of cells."""


class DatasetDetailSerializer(DatasetSerializer):
    head = serializers.ListField(child=RowField(), help_text="The first 20 rows.")
    statistics = serializers.DictField(child=StatisticsSerializer())


class RowColumnSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    type = serializers.CharField()
    unit = serializers.CharField(allow_null=True)


class RowWindowSerializer(serializers.Serializer[Any]):
    limit = serializers.IntegerField()
    offset = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Rows that `where` leaves; groups where they are grouped.")


class RowsSerializer(serializers.Serializer[Any]):
    columns = RowColumnSerializer(many=True)
    data = serializers.ListField(child=RowField())  # type: ignore[assignment]  # a member of the wire, not of DRF's class
    pagination = RowWindowSerializer()


class RunKeyField(Text):
    """A run by its instrument, as the paths of both have them: `cary-60/2026-11-20_a`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(pattern=RUN_KEY_PATTERN, **kwargs)

    def to_internal_value(self, data: object) -> Any:
        instrument, _, run = super().to_internal_value(data).partition("/")
        if not instrument or not run:
            raise serializers.ValidationError("<instrument_id>/<run_id> is needed.")
        return instrument, run


def list_run_keys() -> serializers.ListField:
    said = "`<instrument_id>/<run_id>`: of these runs alone, each whole."
    return serializers.ListField(child=RunKeyField(), max_length=MAX_RUNS, required=False, help_text=said)


class DatasetFilterParams(AllRunsSearchParams):
    name = serializers.ListField(child=Text(max_length=63), required=False)
    kind = serializers.ListField(child=Choice(choices=DatasetKind.choices), required=False)
    column = serializers.ListField(child=Text(max_length=63), required=False, help_text="The name of a column.")
    run = list_run_keys()
    one_of_each = Choice(
        choices=["name"], required=False, help_text="`name`: of each name only the newest dataset, by name."
    )


class RowParams(serializers.Serializer[Any]):
    """What is asked of rows. Names are those of the dataset's columns."""

    columns = Text(max_length=100_000, required=False, help_text="`a,b`: these, in this order.")
    where = serializers.ListField(
        child=Text(max_length=10_000),
        required=False,
        help_text="`<column>:<eq|ne|lt|le|gt|ge|in|contains|is_null>:<value>`, each of which must hold.",
    )
    order_by = Text(max_length=80, required=False, help_text="`<column>`, or `-<column>` to begin with the greatest.")
    group_by = Text(max_length=10_000, required=False, help_text="`a,b`.")
    aggregate = serializers.ListField(
        child=Text(max_length=100),
        required=False,
        help_text="`<count|min|max|mean|median|sum|stddev|first|last>:<column>`; answered as `<function>_<column>`.",
    )
    max_points = QueryInteger(
        min_value=MIN_POINTS, max_value=MAX_POINTS, required=False, help_text="Of each trace; extremes are kept."
    )
    limit = QueryInteger(
        min_value=1,
        max_value=MAX_BIGINT,
        required=False,
        help_text="Of JSON 1,000 where it is not said, 100,000 at most.",
    )
    offset = QueryInteger(min_value=0, max_value=MAX_BIGINT, required=False)
    format = Choice(
        choices=[(one.value, one.value) for one in RowFormat], required=False, help_text="Else as Accept says."
    )
    units = QueryBoolean(required=False, help_text="CSV: `name [unit]` in the header.")


RUN_FILTERS = {
    name: field
    for name, field in AllRunsSearchParams._declared_fields.items()
    if name not in {*SparsePageParams._declared_fields, "sort", "order"}
}
StackedRowParams = type(
    "StackedRowParams",
    (RowParams,),
    {
        **RUN_FILTERS,
        "name": Text(max_length=63, help_text="Of the datasets."),
        "run": list_run_keys(),
        "latest": QueryInteger(
            min_value=1,
            max_value=MAX_LATEST,
            required=False,
            help_text="Only so many of the newest runs that have such a dataset.",
        ),
        "__doc__": "Which rows of which runs.",
    },
)


def to_request(asked: Mapping[str, Any]) -> RowRequest:
    return RowRequest(
        columns=split_names(asked.get("columns")),
        where=asked.get("where", ()),
        order_by=asked.get("order_by", ""),
        group_by=split_names(asked.get("group_by")),
        aggregate=asked.get("aggregate", ()),
        max_points=asked.get("max_points"),
        limit=asked.get("limit"),
        offset=asked.get("offset", 0),
    )


def split_names(text: str | None) -> list[str]:
    return text.split(",") if text else []


def to_filter(asked: Mapping[str, Any]) -> DatasetFilter:
    return DatasetFilter(asked.get("name", ()), asked.get("kind", ()), asked.get("column", ()), asked.get("run", ()))


def represent_dataset(dataset: Dataset) -> dict[str, Any]:
    """What DatasetSerializer says."""
    return {
        "id": str(dataset.pk),
        "name": dataset.name,
        "title": dataset.title,
        "kind": dataset.kind,
        "instrument_id": dataset.run.instrument_id,
        "run_id": dataset.run.run_id,
        "source_file_id": dataset.source_file_id,
        "source_filename": dataset.source_file.filename,
        "file_id": dataset.file_id,
        "processor": {"name": dataset.processor, "version": dataset.processor_version},
        "columns": dataset.columns,
        "row_count": dataset.row_count,
        "size_bytes": dataset.file.size_bytes or 0,
        "created_at": format_timestamp(dataset.created_at),
    }
