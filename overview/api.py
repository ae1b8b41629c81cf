"""REST: the global search, the system's status, and who is asking."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import integrations
from accounts.authentication import caller_of
from accounts.callers import Caller
from accounts.models import IntegrationKind
from accounts.viewsets import ViewSet
from overview import access
from overview.datacite import describe_project
from overview.history import read_instrument_history, read_run_history
from overview.integrations import check_integration
from overview.search import Group, search_everything
from overview.serializers import (
    DataciteSerializer,
    FoundSerializer,
    HistoryEntrySerializer,
    IntegrationSerializer,
    IntegrationsSerializer,
    SearchParams,
    SystemStatusSerializer,
    WhoamiSerializer,
)
from overview.system_status import read_status
from overview.whoami import describe_caller
from wire.clock import now
from wire.errors import ValidationError
from wire.inputs import read_body, read_query
from wire.lists.pagination import PageParams, present_page, read_window
from wire.openapi import page_serializer
from wire.outputs import make_presenter, represent


class SearchViewSet(ViewSet):
    access = {"list": access.SEARCH}
    tag = "Search"

    @extend_schema(parameters=[SearchParams], responses={200: FoundSerializer})
    def list(self, request: Request) -> Response:
        """Find runs, files, instruments, comments and people by a part of their name or text, the newest first.

        Runs are also found where each word of `q` occurs in their metadata, file names, comments or instrument.
        """
        asked = read_query(SearchParams, request.query_params)
        group = Group(asked["scope"]) if "scope" in asked else None
        at = now()
        found = search_everything(asked["q"], group=group, by=caller_of(request), at=at)
        return Response(FoundSerializer(found, context={"at": at}).data)


class RunHistoryViewSet(ViewSet):
    access = {"list": access.RUN_HISTORY}
    tag = "Runs"

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(HistoryEntrySerializer)})
    def list(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Who changed what of a run, its files, claims and comments, the latest first."""
        by, window = caller_of(request), read_window(request.query_params)
        page = read_run_history(instrument=instrument_id, run_id=run_id, window=window, by=by)
        return Response(present_page(page, make_presenter(HistoryEntrySerializer)))


class InstrumentHistoryViewSet(ViewSet):
    access = {"list": access.INSTRUMENT_HISTORY}
    tag = "Instruments"

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(HistoryEntrySerializer)})
    def list(self, request: Request, instrument_id: str) -> Response:
        """Who changed what of an instrument, the latest first.

        Changes of its watchers are among them where the caller holds `watchers:read`.
        """
        by, window = caller_of(request), read_window(request.query_params)
        page = read_instrument_history(instrument_id, window=window, by=by)
        return Response(present_page(page, make_presenter(HistoryEntrySerializer)))


class SystemViewSet(ViewSet):
    access = {"status": access.STATUS}
    tag = "System"

    @extend_schema(responses={200: SystemStatusSerializer})
    def status(self, request: Request) -> Response:
        """Whether the parts of the service work, and what waits or went wrong."""
        return Response(represent(SystemStatusSerializer, read_status(by=caller_of(request), at=now())))


class WhoamiViewSet(ViewSet):
    access = {"retrieve": access.WHOAMI}
    tag = "System"

    @extend_schema(responses={200: WhoamiSerializer})
    def retrieve(self, request: Request) -> Response:
        """Who is asking, and what they may do."""
        return Response(represent(WhoamiSerializer, describe_caller(caller_of(request))))


@extend_schema(exclude=True)
class IntegrationViewSet(ViewSet):
    access = {"list": access.INTEGRATIONS, "update": access.INTEGRATIONS, "test": access.INTEGRATIONS}

    def list(self, request: Request) -> Response:
        return Response(integrations_answer())

    def update(self, request: Request) -> Response:
        asked, by, at = read_body(IntegrationsSerializer, request.data), caller_of(request), now()
        with transaction.atomic():
            for name, given in asked.items():
                if given is None:
                    integrations.disconnect_integration(IntegrationKind(name), by=by)
                else:
                    connect_named(name, given, by=by, at=at)
        return Response(integrations_answer())

    def test(self, request: Request, kind: str) -> Response:
        name = check_integration(integrations.parse_integration_kind(kind), by=caller_of(request), at=now())
        return Response({"ok": True, "name": name})


def connect_named(name: str, given: dict[str, str], *, by: Caller, at: datetime) -> None:
    """What is wrong is told by its place in the body: `chat.token`."""
    try:
        integrations.connect_integration(IntegrationKind(name), wanted=wanted_of(given), by=by, at=at)
    except ValidationError as refused:
        faults = (refused.details or {}).get("fields", {})
        raise ValidationError(fields={f"{name}.{field}": said for field, said in faults.items()}) from None


def wanted_of(given: dict[str, str]) -> integrations.IntegrationChange:
    address, repository, token = given.get("base_url", ""), given.get("repository", ""), given.get("token", "")
    return integrations.IntegrationChange(base_url=address, target=repository, secret=token)


def integrations_answer() -> dict[str, Any]:
    known = integrations.list_integrations()
    return {kind.value: represent(IntegrationSerializer, row) if row else None for kind, row in known.items()}


class DataciteViewSet(ViewSet):
    access = {"retrieve": access.PROJECT_METADATA}
    tag = "Projects"

    @extend_schema(responses={200: DataciteSerializer})
    def retrieve(self, request: Request, project_id: UUID) -> Response:
        """A project as DataCite metadata (schema 4.6), for the form of a repository. It has no DOI yet.

        Creators are the people who claimed its runs; dates, formats and sizes are of the runs that the caller may see
        and of what their instruments wrote.
        """
        found = describe_project(project_id, by=caller_of(request), at=now())
        return Response(represent(DataciteSerializer, found))
