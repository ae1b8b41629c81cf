"""REST: projects."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from runs import access
from runs.projects import catalogue
from runs.projects.models import Project
from runs.projects.serializers import (
    NewProjectSerializer,
    ProjectChangeSerializer,
    ProjectListParams,
    ProjectSerializer,
)
from wire.clock import now
from wire.inputs import read_body, read_change, read_query
from wire.lists.pagination import paginate, present_page, window_from
from wire.openapi import CHANGED_MEANWHILE, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, page_serializer
from wire.outputs import make_presenter, represent
from wire.versions import answer_versioned, expected_versions, version_of


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
        return _answer_project(request, made, status=201)

    @extend_schema(parameters=[IF_NONE_MATCH], responses={200: ProjectSerializer, 304: NOT_MODIFIED})
    def retrieve(self, request: Request, project_id: UUID) -> Response:
        """One project. Its runs: GET /instrument-runs?project_id=."""
        return _answer_project(request, catalogue.find_project(project_id, by=caller_of(request)))

    @extend_schema(
        request=ProjectChangeSerializer,
        parameters=[IF_MATCH],
        responses={200: ProjectSerializer, 412: CHANGED_MEANWHILE},
    )
    def partial_update(self, request: Request, project_id: UUID) -> Response:
        """Rename, describe or archive a project."""
        values = read_change(ProjectChangeSerializer, request.data, record=ProjectSerializer)
        expected = expected_versions(request)
        changed = catalogue.change_project(project_id, values=values, expected=expected, by=caller_of(request))
        return _answer_project(request, changed)

    @extend_schema(request=None, parameters=[IF_MATCH], responses={204: None, 412: CHANGED_MEANWHILE})
    def destroy(self, request: Request, project_id: UUID) -> Response:
        """Take a project away that no run belongs to."""
        catalogue.delete_project(project_id, expected=expected_versions(request), by=caller_of(request))
        return Response(status=204)


def _answer_project(request: Request, project: Project, *, status: int = 200) -> Response:
    shown = represent(ProjectSerializer, project)
    return answer_versioned(request, shown, version=version_of(*project.changeable_values), status=status)
