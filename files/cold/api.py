"""REST: asking for cold files."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from files import access
from files.cold.recalls import request_file, request_run
from files.serializers import FileSerializer, RecallRequestedSerializer, represent_file
from wire.clock import now
from wire.openapi import PURGED
from wire.outputs import represent


class RecallViewSet(ViewSet):
    tag = "Files"
    access = {"restore_run": access.BRING_BACK, "restore_file": access.BRING_BACK}

    @extend_schema(request=None, responses={202: RecallRequestedSerializer, 410: PURGED})
    def restore_run(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Have the cold files of a run brought back. A person who asks is notified when all are there."""
        asked = request_run(instrument=instrument_id, run_id=run_id, by=caller_of(request), at=now())
        return Response(represent(RecallRequestedSerializer, asked), status=202)

    @extend_schema(request=None, responses={202: FileSerializer, 410: PURGED})
    def restore_file(self, request: Request, file_id: int) -> Response:
        """Have one cold file brought back; one that is at hand stays as it is."""
        return Response(represent_file(request_file(file_id, by=caller_of(request), at=now())), status=202)
