"""REST: enrolment codes, and the door where they are traded for a token."""

from hashlib import sha256

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.idempotency import Asker
from accounts.rate_limits import BAD_CREDENTIALS, count_hit
from accounts.viewsets import ViewSet
from watchers import access, enrolment, enrolment_codes
from watchers.enrolling.serializers import (
    EnrolmentCodeSerializer,
    EnrolmentSerializer,
    NewEnrolmentCodesSerializer,
    NewEnrolmentSerializer,
)
from wire.clock import now
from wire.inputs import read_body
from wire.openapi import refusal_response
from wire.outputs import represent

NOT_ENROLLED_RESPONSE = refusal_response(
    "The instrument is inactive, or the new one's id was taken meanwhile (`details.instrument_id`). The code stays."
)


@extend_schema(exclude=True)
class EnrolmentCodeViewSet(ViewSet):
    access = {"create": access.ENROLMENT_CODES}

    def create(self, request: Request) -> Response:
        asked = read_body(NewEnrolmentCodesSerializer, request.data)
        made = enrolment_codes.create_codes(**asked, by=caller_of(request), at=now())
        return Response({"data": [represent(EnrolmentCodeSerializer, one) for one in made]}, status=201)


class EnrolmentViewSet(ViewSet):
    tag = "Watchers"
    access = {"create": access.ENROL}
    authentication_classes = ()

    def find_asker(self, request: Request) -> Asker | None:
        """Nobody is known here: a key belongs to whoever has the code."""
        code = request.data.get("code") if isinstance(request.data, dict) else None
        return Asker(f"code:{sha256(code.encode(errors='replace')).hexdigest()}") if isinstance(code, str) else None

    @extend_schema(request=NewEnrolmentSerializer, responses={201: EnrolmentSerializer, 409: NOT_ENROLLED_RESPONSE})
    def create(self, request: Request) -> Response:
        """Trade an enrolment code for a token. An active watcher of its instrument passes to this computer.

        A code that is unknown, used or ended is 404, and counts as a wrong credential of the address.
        """
        asked = read_body(NewEnrolmentSerializer, request.data)
        code, installation = asked.pop("code"), enrolment.Installation(**asked)
        try:
            enrolled = enrolment.enrol_computer(code, installation=installation, at=now())
        except enrolment_codes.EnrolmentCodeNotGood:
            count_hit(BAD_CREDENTIALS, request.META.get("REMOTE_ADDR", ""))
            raise
        return Response(represent(EnrolmentSerializer, enrolled), status=201, headers={"Cache-Control": "no-store"})
