"""REST: projects."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from runs import access
from runs.projects import catalogue
from runs.projects.serializers import (
    NewProjectSerializer,
    ProjectChangeSerializer,
    ProjectListParams,
    ProjectSerializer,
)
from wire.clock import now
from wire.inputs import read_body, read_change, read_query
from wire.openapi import page_serializer
from wire.outputs import make_presenter, represent
from wire.pagination import paginate, present_page, window_from


class ProjectViewSet(ViewSet):
    tag = "Projects"
    access = {
        "list": access.READ,
        "create": access.CHANGE_PROJECT,
        "retrieve": access.READ,
        "partial_update": access.CHANGE_PROJECT,
        "destroy": access.DELETE_PROJECT,
    }

    @extend_schema(parameters=[ProjectListParams], responses={200: page_serializer(ProjectSerializer)})
    def list(self, request: Request) -> Response:
        """The projects, by name."""
        asked = read_query(ProjectListParams, request.query_params)
        found = catalogue.list_projects(is_archived=asked.get("archived"), by=caller_of(request))
        return Response(present_page(paginate(found, window_from(asked)), make_presenter(ProjectSerializer)))

    @extend_schema(request=NewProjectSerializer, responses={201: ProjectSerializer})
    def create(self, request: Request) -> Response:
        """Begin a project."""
        asked = read_body(NewProjectSerializer, request.data)
        made = catalogue.create_project(**asked, by=caller_of(request), at=now())
        return Response(represent(ProjectSerializer, made), status=201)

    @extend_schema(responses={200: ProjectSerializer})
    def retrieve(self, request: Request, project_id: UUID) -> Response:
        """One project. Its runs: GET /instrument-runs?project_id=."""
        return Response(represent(ProjectSerializer, catalogue.find_project(project_id, by=caller_of(request))))

    @extend_schema(request=ProjectChangeSerializer, responses={200: ProjectSerializer})
    def partial_update(self, request: Request, project_id: UUID) -> Response:
        """Rename, describe or archive a project."""
        values = read_change(ProjectChangeSerializer, request.data, record=ProjectSerializer)
        changed = catalogue.change_project(project_id, values=values, by=caller_of(request))
        return Response(represent(ProjectSerializer, changed))

    @extend_schema(request=None, responses={204: None})
    def destroy(self, request: Request, project_id: UUID) -> Response:
        """Take a project away that no run belongs to."""
        catalogue.delete_project(project_id, by=caller_of(request))
        return Response(status=204)
