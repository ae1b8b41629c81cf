"""REST: links of a run for outsiders."""

from uuid import UUID

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from runs import access
from runs.sharing import links
from runs.sharing.serializers import MadeShareLinkSerializer, NewShareLinkSerializer, ShareLinkSerializer
from wire.clock import now
from wire.inputs import read_body
from wire.lists.pagination import PageParams, paginate, present_page, read_window
from wire.openapi import page_serializer
from wire.outputs import make_presenter, represent


class ShareLinkViewSet(ViewSet):
    tag = "Runs"
    access = {"list": access.SHARE, "create": access.SHARE, "destroy": access.SHARE}

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(ShareLinkSerializer)})
    def list(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """The open links for outsiders that one made to a run, newest first; admins: all of them."""
        window = read_window(request.query_params)
        found = links.list_links_of(instrument=instrument_id, run_id=run_id, by=caller_of(request), at=now())
        return Response(present_page(paginate(found, window), make_presenter(ShareLinkSerializer)))

    @extend_schema(request=NewShareLinkSerializer, responses={201: MadeShareLinkSerializer})
    def create(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Make a link by which whoever has it reads this run and downloads its files, without an account."""
        by, at = caller_of(request), now()
        end = links.choose_end(**read_body(NewShareLinkSerializer, request.data), at=at)
        new = links.share_run(instrument=instrument_id, run_id=run_id, expires_at=end, by=by, at=at)
        shown = {**represent(ShareLinkSerializer, new.link), "url": f"{settings.PUBLIC_URL.rstrip('/')}{new.path}"}
        return Response(shown, status=201)

    @extend_schema(request=None, responses={204: None})
    def destroy(self, request: Request, instrument_id: str, run_id: str, link_id: UUID) -> Response:
        """End a link now."""
        links.end_link(link_id, instrument=instrument_id, run_id=run_id, by=caller_of(request), at=now())
        return Response(status=204)
