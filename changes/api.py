"""REST: the log of what happened."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from changes import access
from changes.following import follow
from changes.serializers import ChangesParams, ChangesSerializer
from wire.inputs import read_query
from wire.openapi import refusal_response
from wire.outputs import represent

GONE = refusal_response("The log is not kept from this position on; `details.oldest` is the earliest to ask for.")


class ChangesViewSet(ViewSet):
    access = {"list": access.FOLLOW}
    tag = "Events"

    @extend_schema(parameters=[ChangesParams], responses={200: ChangesSerializer, 410: GONE})
    def list(self, request: Request) -> Response:
        """What happened behind a position, in the order in which it was committed.

        Ask again with `after` = `next`: nothing is left out and nothing comes twice, whatever is written meanwhile. A
        change is kept for 30 days. With `Accept: text/event-stream` the same comes as server-sent events.
        """
        asked = read_query(ChangesParams, request.query_params)
        return Response(represent(ChangesSerializer, follow(asked, by=caller_of(request))))
