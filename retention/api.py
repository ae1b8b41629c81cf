"""REST: for how long the bytes of an instrument are kept, and what that would free now."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from instruments.retention import Retention, change_retention, find_retention
from retention import access
from retention.preview import preview_purge
from retention.serializers import PurgePreviewSerializer, RetentionSerializer
from wire.clock import now
from wire.inputs import read_body
from wire.outputs import represent


class RetentionViewSet(ViewSet):
    tag = "Instruments"
    access = {"retrieve": access.RETENTION, "update": access.RETENTION, "preview": access.RETENTION}

    @extend_schema(responses={200: RetentionSerializer})
    def retrieve(self, request: Request, instrument_id: str) -> Response:
        """After how many days bytes of an instrument are purged; null: never."""
        return Response(represent(RetentionSerializer, find_retention(instrument_id, by=caller_of(request))))

    @extend_schema(request=RetentionSerializer, responses={200: RetentionSerializer})
    def update(self, request: Request, instrument_id: str) -> Response:
        """Replace the four rules; one that is left out becomes null."""
        asked: dict[str, Any] = read_body(RetentionSerializer, request.data)
        kept = change_retention(instrument_id, retention=Retention(**asked), by=caller_of(request))
        return Response(represent(RetentionSerializer, kept))

    @extend_schema(responses={200: PurgePreviewSerializer})
    def preview(self, request: Request, instrument_id: str) -> Response:
        """What the rules would purge now: held runs are left out, and objects that other files share free nothing."""
        due = preview_purge(instrument_id, by=caller_of(request), at=now())
        return Response(represent(PurgePreviewSerializer, due))
