"""Wire shapes of runs and claims, and the query parameters of the run list."""

from typing import Any
from uuid import UUID

from django.core.validators import RegexValidator
from django.http import QueryDict
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.callers import Caller
from accounts.people import identify_person
from accounts.serializers import PersonRefSerializer, TokenRefSerializer
from files.serializers import DetectedFileSerializer, FileSerializer
from instruments.serializers import IS_SLUG
from runs.metadata_filters import (
    MAX_CONDITIONS,
    PREFIX,
    Comparison,
    Operator,
    find_value_fault,
    is_metadata_parameter,
    read_parameter,
)
from runs.metadata_terms import format_term
from runs.models import Run, RunSource
from runs.search import RunSearch, Sort
from runs.status import RunStatus
from runs.words import split_words
from wire.clock import now
from wire.errors import ValidationError
from wire.fields import (
    BoundedList,
    Choice,
    Metadata,
    QueryBoolean,
    QueryDateTime,
    Text,
    Timestamp,
    Uuid,
    refuse_blanks,
)
from wire.inputs import read_query, refuse_bad_text
from wire.lists.sparse import SparsePageParams
from wire.merge_patch import PATCH_HELP, refuse_metadata_twice
from wire.names import INVISIBLE

MAX_DETECTED_FILES = 1_000
METADATA_FORMS = (
    "metadata.<key>, metadata[<key>] or metadata[<key>][gt|ge|lt|le|ne|contains|exists] is needed; "
    "keys are 1 to 64 of A-Z a-z 0-9 _ . -"
)
EXPORT_FORMATS = [(form, form) for form in ("json", "csv", "ndjson", "arrow", "parquet")]
ME, UNATTRIBUTED = "me", "unattributed"
IS_RUN_ID = RegexValidator(
    rf"^(?!\.{{1,2}}\Z)(?! )(?![\s{INVISIBLE}]*\Z)[^/\\\ufffd\u202a-\u202e\u2066-\u2069]{{1,255}}(?<! )\Z",
    "1 to 255 characters are needed, without / and \\, not . or .., without leading or trailing spaces"
    " or bidirectional controls.",
)


class Tag(Text):
    """A slug."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validators=[IS_SLUG], **kwargs)


class AttributionSerializer(serializers.Serializer[Any]):
    id = Uuid()
    display_name = serializers.CharField()
    initials = serializers.CharField()
    claimed_at = Timestamp()


class AttributionsSerializer(serializers.Serializer[Any]):
    attributions = AttributionSerializer(many=True)


class TagsSerializer(serializers.Serializer[Any]):
    tags = serializers.ListField(child=serializers.CharField())


class RunSerializer(serializers.Serializer[Run]):
    """A described run."""

    id = Uuid()
    instrument_id = serializers.CharField()
    instrument_display_name = serializers.CharField(source="instrument.display_name")
    instrument_type = serializers.CharField(source="instrument.instrument_type")
    run_id = serializers.CharField()
    source = Choice(choices=RunSource.choices)  # type: ignore[assignment]  # a member of the wire, not of DRF's class
    watcher_id = Uuid(allow_null=True)
    metadata = Metadata()
    tags = serializers.ListField(child=serializers.CharField())
    project_id = Uuid(allow_null=True)
    acquired_at = Timestamp(allow_null=True)
    created_at = Timestamp()
    updated_at = Timestamp(help_text="The last change of the run or its files.")
    deleted_at = Timestamp(allow_null=True)
    purged_at = Timestamp(allow_null=True, help_text="A deleted run of which the bytes are gone: it stays deleted.")
    deleted_by = PersonRefSerializer(allow_null=True)
    deleted_by_token = TokenRefSerializer(allow_null=True)
    attributions = AttributionSerializer(many=True)
    status = serializers.SerializerMethodField()
    file_count = serializers.IntegerField(help_text="Active raw files.")
    total_size_bytes = serializers.IntegerField(help_text="Of active raw files.")
    comment_count = serializers.IntegerField()

    @extend_schema_field(Choice(choices=RunStatus.choices))
    def get_status(self, run: Run) -> RunStatus:
        return run.status_at(now())


class RunLinkSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()
    url = serializers.CharField()


class RunDetailSerializer(RunSerializer):
    own_metadata = Metadata(source="caller_metadata", help_text="The part of the metadata that callers wrote.")
    files = FileSerializer(many=True, help_text="The first 1,000, in natural order.")
    file_status_counts = serializers.DictField(child=serializers.IntegerField(), help_text="Of active raw files.")
    links = RunLinkSerializer(many=True, help_text="To the lab's notebook, where a template is set and fits.")


def detected_files_field() -> BoundedList:
    return BoundedList(child=DetectedFileSerializer(), max_length=MAX_DETECTED_FILES, required=False)


class NewRunSerializer(serializers.Serializer[Any]):
    run_id = Text(max_length=255, validators=[IS_RUN_ID, refuse_blanks])
    source = Choice(choices=RunSource.choices, required=False)  # type: ignore[assignment]  # likewise
    watcher_id = Uuid(required=False, allow_null=True)
    acquired_at = Timestamp(required=False, allow_null=True)
    metadata = Metadata(required=False)
    detected_files = detected_files_field()


class RunChangeSerializer(serializers.Serializer[Any]):
    watcher_id = Uuid(required=False, allow_null=True)
    acquired_at = Timestamp(required=False, allow_null=True, help_text="A later time changes nothing.")
    metadata = Metadata(required=False, help_text="Replaces what callers wrote before.")
    metadata_patch = Metadata(required=False, help_text=PATCH_HELP)
    project_id = Uuid(required=False, allow_null=True, help_text="Null takes it out of its project.")
    detected_files = detected_files_field()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        return refuse_metadata_twice(attrs)


class DeletedRunSerializer(serializers.Serializer[Any]):
    id = Uuid(source="run.id")
    instrument_id = serializers.CharField(source="run.instrument_id")
    run_id = serializers.CharField(source="run.run_id")
    deleted_at = Timestamp(source="run.deleted_at")
    deleted_by = PersonRefSerializer(source="run.deleted_by", allow_null=True)
    deleted_by_token = TokenRefSerializer(source="run.deleted_by_token", allow_null=True)
    already_applied = serializers.BooleanField()


class RestoredRunSerializer(serializers.Serializer[Any]):
    id = Uuid(source="run.id")
    instrument_id = serializers.CharField(source="run.instrument_id")
    run_id = serializers.CharField(source="run.run_id")
    deleted_at = Timestamp(source="run.deleted_at", allow_null=True)
    already_applied = serializers.BooleanField()


class FilterOptionSerializer(serializers.Serializer[Any]):
    value = serializers.CharField()
    run_count = serializers.IntegerField()


class FilterOptionsSerializer(serializers.Serializer[Any]):
    data = serializers.DictField(child=FilterOptionSerializer(many=True))  # type: ignore[assignment]  # likewise


class RunSearchParams(SparsePageParams):
    """Filters are ANDed. `metadata.<key>=<value>` may be repeated: what is stored under the key equals the value, or is
    an array that holds it; `metadata[<key>][gt]=<value>` compares."""

    q = Text(
        max_length=255,
        required=False,
        help_text="Words that all occur in the run's name, metadata, file names, comments or instrument's name.",
    )
    search = Text(max_length=255, required=False, help_text="Part of the run_id, in any case.")
    status = serializers.ListField(child=Choice(choices=RunStatus.choices), required=False)
    ranBy = Text(required=False, help_text="A person's id or name, `me` (sessions only) or `unattributed`.")  # noqa: N815  (the specification's name)
    source = Choice(choices=RunSource.choices, required=False)  # type: ignore[assignment]  # likewise
    date_from = QueryDateTime(required=False, help_text="A day or a date-time, on acquired_at, else created_at.")
    date_to = QueryDateTime(end=True, required=False, help_text="Inclusive.")
    tag = serializers.ListField(child=Tag(), required=False, help_text="Each of which the run has.")
    project_id = Uuid(required=False)
    updated_since = QueryDateTime(required=False)
    include_deleted = QueryBoolean(required=False)
    sort = Choice(choices=[(sort.value, sort.value) for sort in Sort], required=False)
    order = Choice(choices=[("asc", "asc"), ("desc", "desc")], required=False)
    format = Choice(choices=EXPORT_FORMATS, required=False, help_text="But for `json`: all runs found, streamed.")


class AllRunsSearchParams(RunSearchParams):
    instrument_id = serializers.ListField(child=Text(), required=False)


def read_run_search(query: QueryDict, *, by: Caller) -> RunSearch:
    """What GET /instrument-runs asks for, or a ValidationError that names every bad parameter."""
    asked = read_query(AllRunsSearchParams, query)
    return _build_search(
        asked, metadata=_read_metadata(query), instrument_ids=tuple(asked.get("instrument_id", ())), by=by
    )


def read_search_of_instrument(query: QueryDict, *, instrument: str, by: Caller) -> RunSearch:
    """The same for the runs of one instrument, which the path names."""
    asked = read_query(RunSearchParams, query)
    return _build_search(asked, metadata=_read_metadata(query), instrument_ids=(instrument,), by=by)


def _build_search(
    asked: dict[str, Any], *, metadata: dict[str, Any], instrument_ids: tuple[str, ...], by: Caller
) -> RunSearch:
    ran_by = asked.get("ranBy")
    return RunSearch(
        instrument_ids=instrument_ids,
        text=asked.get("search", ""),
        words=split_words(asked.get("q", "")),
        statuses=tuple(RunStatus(status) for status in asked.get("status", ())),
        claimed_by=_read_claimant(ran_by, by=by),
        unattributed=ran_by == UNATTRIBUTED,
        source=asked.get("source"),
        happened_from=asked.get("date_from"),
        happened_to=asked.get("date_to"),
        updated_since=asked.get("updated_since"),
        **metadata,
        tags=tuple(asked.get("tag", ())),
        project_id=asked.get("project_id"),
        include_deleted=asked.get("include_deleted", False),
        sort=Sort(asked.get("sort", Sort.ACQUIRED_AT)),
        descending=asked.get("order", "desc") == "desc",
    )


def _read_claimant(ran_by: str | None, *, by: Caller) -> UUID | None:
    if ran_by in (None, UNATTRIBUTED):
        return None
    if ran_by == ME and by.user is not None:
        return by.user.pk
    if ran_by == ME:
        raise ValidationError(fields={"ranBy": ["A token has claimed nothing: name a user."]})
    return identify_person(ran_by, parameter="ranBy")


def _read_metadata(query: QueryDict) -> dict[str, Any]:
    """The terms and comparisons that metadata parameters ask for. A misspelt one is refused: it would find all runs."""
    given = {name: values for name, values in query.lists() if is_metadata_parameter(name)}
    refuse_bad_text(given)
    asked = {name: read_parameter(name) for name in given}
    if bad := {name: [METADATA_FORMS] for name, parameter in asked.items() if parameter is None}:
        raise ValidationError(fields=bad)
    pairs = [(name, one, value) for name, one in asked.items() if one is not None for value in given[name]]
    if len(pairs) > MAX_CONDITIONS:
        raise ValidationError(fields={PREFIX: [f"{MAX_CONDITIONS} conditions are the most."]})
    if faults := {name: [fault] for name, one, value in pairs if (fault := find_value_fault(one.operator, value))}:
        raise ValidationError(fields=faults)
    return {
        "terms": tuple(format_term(one.key, value) for _, one, value in pairs if one.operator is Operator.EQUALS),
        "comparisons": tuple(
            Comparison(one.key, one.operator, value) for _, one, value in pairs if one.operator is not Operator.EQUALS
        ),
    }
