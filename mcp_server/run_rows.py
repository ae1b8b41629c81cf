"""Runs in lists: short rows, or all that REST shows of them; each leads to the run's page."""

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from files.listing import find_first_failures
from files.models import File
from mcp_server.pages import present_rows
from mcp_server.schemas import Schema, list_schema, object_schema, page_schema, serializer_schema, with_more
from runs.addresses import run_address
from runs.models import Run
from runs.rows import represent_run
from runs.status import RunStatus
from wire.clock import now
from wire.fields import Choice, Timestamp, Uuid
from wire.lists.pagination import Page
from wire.outputs import make_presenter

URL_SCHEMA: Schema = {"type": "string", "format": "uri", "description": "The run's page in the dashboard."}
MAX_MESSAGE = 300
FAILURE_SCHEMA: Schema = {
    **object_schema(file_id={"type": "integer"}, filename={"type": "string"}, error_message={"type": "string"}),
    "description": "Of a failed run the first file that could not be processed; get_run_report names the others.",
}
NAME_OR_RECORD: Schema = {"type": ["string", "object"], "description": "A name; with `detail` the whole record."}


class ShortRunSerializer(serializers.Serializer[Run]):
    id = Uuid()
    run_id = serializers.CharField()
    instrument_id = serializers.CharField()
    status = serializers.SerializerMethodField()
    acquired_at = Timestamp(allow_null=True)
    attributions = serializers.SerializerMethodField()
    url = serializers.SerializerMethodField(help_text="The run's page in the dashboard.")

    @extend_schema_field(Choice(choices=RunStatus.choices))
    def get_status(self, run: Run) -> RunStatus:
        return run.status_at(now())

    @extend_schema_field(serializers.ListField(child=serializers.CharField()))
    def get_attributions(self, run: Run) -> list[str]:
        return [one.display_name for one in run.attributions]

    def get_url(self, run: Run) -> str:
        return run_url(run)


def run_url(run: Run) -> str:
    return settings.PUBLIC_URL + run_address(run)


def present_runs(page: Page[Run], *, detail: bool) -> dict[str, Any]:
    """A list of runs; those that failed say why."""
    at = now()
    failures = find_first_failures([run.pk for run in page.rows if run.status_at(at) == RunStatus.FAILED])
    present = _represent_whole if detail else make_presenter(ShortRunSerializer)

    def present_run(run: Run) -> dict[str, Any]:
        failed = failures.get(run.pk)
        return present(run) | ({"failure": _describe_failure(failed)} if failed else {})

    return present_rows(page, present_run)


def _represent_whole(run: Run) -> dict[str, Any]:
    return represent_run(run) | {"url": run_url(run)}


def _describe_failure(file: File) -> dict[str, Any]:
    return {"file_id": file.pk, "filename": file.filename, "error_message": (file.error_message or "")[:MAX_MESSAGE]}


def with_url(serializer: type[serializers.Serializer[Any]]) -> Schema:
    """What shows one run, and its page."""
    return with_more(serializer_schema(serializer), url=URL_SCHEMA)


def run_page_schema() -> Schema:
    """A list of short rows, or of whole ones, which have more members."""
    shape = page_schema(ShortRunSerializer)
    row = shape["properties"]["data"]["items"]
    more = {"attributions": list_schema(NAME_OR_RECORD), "failure": FAILURE_SCHEMA}
    rows = list_schema({**row, "properties": row["properties"] | more})
    return object_schema(**shape["properties"] | {"data": rows})
