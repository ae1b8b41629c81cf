"""REST: for how long the bytes of an instrument are kept, and what that would free now."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from instruments.retention import find_retention
from retention import access
from retention.preview import preview_purge
from retention.rules import save_rules
from retention.serializers import CoolingSerializer, PurgePreviewSerializer, represent_rules
from wire.clock import now
from wire.inputs import read_body
from wire.outputs import represent


class RetentionViewSet(ViewSet):
    tag = "Instruments"
    access = {"retrieve": access.RETENTION, "update": access.RETENTION, "preview": access.RETENTION}

    @extend_schema(responses={200: CoolingSerializer})
    def retrieve(self, request: Request, instrument_id: str) -> Response:
        """After how many days bytes of an instrument are purged, or become cold; null: never."""
        return Response(represent_rules(find_retention(instrument_id, by=caller_of(request))))

    @extend_schema(request=CoolingSerializer, responses={200: CoolingSerializer})
    def update(self, request: Request, instrument_id: str) -> Response:
        """Replace the four rules of purging; one that is left out becomes null.

        `cold_raw_after_days` stays as it is where it is left out, and needs a cold store.
        """
        asked, by = read_body(CoolingSerializer, request.data), caller_of(request)
        return Response(represent_rules(save_rules(instrument_id, asked, by=by)))

    @extend_schema(responses={200: PurgePreviewSerializer})
    def preview(self, request: Request, instrument_id: str) -> Response:
        """What the rules would purge now: held runs are left out, and objects that other files share free nothing."""
        due = preview_purge(instrument_id, by=caller_of(request), at=now())
        return Response(represent(PurgePreviewSerializer, due))
