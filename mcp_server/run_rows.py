"""Runs in lists: short rows, or all that REST shows of them; each leads to the run's page."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from mcp_server.schemas import Schema, list_schema, object_schema, page_schema, serializer_schema
from runs.addresses import run_address
from runs.models import Run
from runs.rows import represent_run
from runs.status import RunStatus
from wire.clock import now
from wire.fields import Choice, Timestamp, Uuid
from wire.outputs import make_presenter

URL_SCHEMA: Schema = {"type": "string", "format": "uri", "description": "The run's page in the dashboard."}
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


def run_presenter(*, detail: bool) -> Callable[[Run], dict[str, Any]]:
    """How a row of a list shows a run."""
    if not detail:
        return make_presenter(ShortRunSerializer)
    return lambda run: represent_run(run) | {"url": run_url(run)}


def with_url(serializer: type[serializers.Serializer[Any]]) -> Schema:
    """What shows one run, and its page."""
    shape = serializer_schema(serializer)
    return {**shape, "properties": shape["properties"] | {"url": URL_SCHEMA}, "required": [*shape["required"], "url"]}


def run_page_schema() -> Schema:
    """A list of short rows, or of whole ones, which have more members."""
    shape = page_schema(ShortRunSerializer)
    row = shape["properties"]["data"]["items"]
    people = {"attributions": list_schema(NAME_OR_RECORD)}
    rows = list_schema({**row, "properties": row["properties"] | people})
    return object_schema(**shape["properties"] | {"data": rows})
