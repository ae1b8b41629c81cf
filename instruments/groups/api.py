"""REST: groups, for the sessions of admins, and of managers for their own."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from instruments import access
from instruments.groups import catalogue
from instruments.groups.serializers import GroupChangeSerializer, GroupSerializer, NewGroupSerializer
from wire.clock import now
from wire.inputs import read_body, read_change
from wire.lists.pagination import paginate, present_page, read_window
from wire.outputs import make_presenter, represent


@extend_schema(exclude=True)
class GroupViewSet(ViewSet):
    access = {
        "list": access.GROUPS,
        "create": access.GROUPS,
        "retrieve": access.GROUPS,
        "partial_update": access.GROUPS,
        "destroy": access.GROUPS,
    }

    def list(self, request: Request) -> Response:
        page = paginate(catalogue.list_groups(by=caller_of(request)), read_window(request.query_params))
        return Response(present_page(page, make_presenter(GroupSerializer)))

    def create(self, request: Request) -> Response:
        made = catalogue.create_group(**read_body(NewGroupSerializer, request.data), by=caller_of(request), at=now())
        return Response(represent(GroupSerializer, made), status=201)

    def retrieve(self, request: Request, group_id: UUID) -> Response:
        return Response(represent(GroupSerializer, catalogue.find_group(group_id, by=caller_of(request))))

    def partial_update(self, request: Request, group_id: UUID) -> Response:
        values = read_change(GroupChangeSerializer, request.data, record=GroupSerializer)
        return Response(
            represent(GroupSerializer, catalogue.change_group(group_id, values=values, by=caller_of(request)))
        )

    def destroy(self, request: Request, group_id: UUID) -> Response:
        catalogue.delete_group(group_id, by=caller_of(request))
        return Response(status=204)
