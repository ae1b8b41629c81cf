"""REST: having files read again."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from files.serializers import FileSerializer, represent_file
from processing import access
from processing.requests import reprocess_file, reprocess_run
from processing.serializers import ReprocessedSerializer
from wire.clock import now
from wire.outputs import represent


class FileReprocessViewSet(ViewSet):
    access = {"create": access.REPROCESS_FILE}
    tag = "Files"

    @extend_schema(request=None, responses={202: FileSerializer})
    def create(self, request: Request, file_id: int) -> Response:
        """Read a stored file again. The answer is its record; its status follows when a worker begins."""
        return Response(represent_file(reprocess_file(file_id, by=caller_of(request), at=now())), status=202)


class RunReprocessViewSet(ViewSet):
    access = {"create": access.REPROCESS_RUN}
    tag = "Runs"

    @extend_schema(request=None, responses={200: ReprocessedSerializer})
    def create(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Read every stored file of a run again."""
        done = reprocess_run(instrument=instrument_id, run_id=run_id, by=caller_of(request), at=now())
        return Response(represent(ReprocessedSerializer, done))
