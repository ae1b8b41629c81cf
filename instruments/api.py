"""REST: instruments."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from instruments import access, catalogue
from instruments.models import Instrument
from instruments.serializers import (
    InstrumentChangeSerializer,
    InstrumentDetailSerializer,
    InstrumentListParams,
    InstrumentSerializer,
    NewInstrumentSerializer,
)
from wire.clock import now
from wire.inputs import read_body, read_change, read_query
from wire.lists.pagination import paginate, present_page, read_window
from wire.openapi import CHANGED_MEANWHILE, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, page_serializer
from wire.outputs import make_presenter, represent
from wire.versions import answer_versioned, expected_versions, version_of

PER_PAGE = 100


class InstrumentViewSet(ViewSet):
    tag = "Instruments"
    access = {
        "list": access.READ,
        "create": access.CREATE,
        "retrieve": access.READ,
        "partial_update": access.CHANGE,
    }

    @extend_schema(parameters=[InstrumentListParams], responses={200: page_serializer(InstrumentSerializer)})
    def list(self, request: Request) -> Response:
        """The instruments, by name."""
        window = read_window(request.query_params, per_page=PER_PAGE)
        asked = read_query(InstrumentListParams, request.query_params)
        found = catalogue.list_instruments(status=asked.get("status"), by=caller_of(request))
        return Response(present_page(paginate(found, window), make_presenter(InstrumentSerializer)))

    @extend_schema(request=NewInstrumentSerializer, responses={201: InstrumentDetailSerializer})
    def create(self, request: Request) -> Response:
        """Add an instrument. It is pending until an admin confirms it."""
        asked = read_body(NewInstrumentSerializer, request.data)
        made = catalogue.create_instrument(asked.pop("id"), **asked, by=caller_of(request), at=now())
        return Response(represent(InstrumentDetailSerializer, made), status=201)

    @extend_schema(parameters=[IF_NONE_MATCH], responses={200: InstrumentDetailSerializer, 304: NOT_MODIFIED})
    def retrieve(self, request: Request, instrument_id: str) -> Response:
        """One instrument with its active runs and watchers counted."""
        found = catalogue.find_instrument(instrument_id, by=caller_of(request))
        return answer_instrument(request, found)

    @extend_schema(
        request=InstrumentChangeSerializer,
        parameters=[IF_MATCH],
        responses={200: InstrumentDetailSerializer, 412: CHANGED_MEANWHILE},
    )
    def partial_update(self, request: Request, instrument_id: str) -> Response:
        """Confirm, rename or deactivate an instrument. To deactivate it deregisters its watchers."""
        asked = read_change(InstrumentChangeSerializer, request.data, record=InstrumentDetailSerializer)
        change = catalogue.InstrumentChange(**asked)
        changed = catalogue.change_instrument(
            instrument_id, change=change, expected=expected_versions(request), by=caller_of(request), at=now()
        )
        return answer_instrument(request, changed)


def answer_instrument(request: Request, instrument: Instrument) -> Response:
    shown = represent(InstrumentDetailSerializer, instrument)
    return answer_versioned(request, shown, version=version_of(*instrument.changeable_values))
