"""REST: holds on runs and on projects."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from runs import access
from runs.holds import placing
from runs.holds.models import Hold
from runs.holds.rules import describe_hold, find_hold, find_hold_of_project
from runs.holds.serializers import HeldSerializer, NewHoldSerializer
from runs.lifecycle import find_run
from runs.projects.catalogue import find_project
from wire.clock import now
from wire.inputs import read_body


def answer_hold(hold: Hold | None) -> Response:
    return Response({"hold": describe_hold(hold) if hold else None})


class RunHoldViewSet(ViewSet):
    tag = "Runs"
    access = {"retrieve": access.READ, "update": access.HOLD, "destroy": access.HOLD}

    @extend_schema(responses={200: HeldSerializer})
    def retrieve(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """What keeps a run from being deleted: its own hold, else that of its project; null: nothing."""
        return answer_hold(find_hold(find_run(instrument=instrument_id, run_id=run_id, by=caller_of(request))))

    @extend_schema(request=NewHoldSerializer, responses={200: HeldSerializer})
    def update(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Keep a run from being deleted and purged. Again replaces the reason."""
        asked: dict[str, Any] = read_body(NewHoldSerializer, request.data)
        by = caller_of(request)
        return answer_hold(placing.hold_run(instrument=instrument_id, run_id=run_id, **asked, by=by, at=now()))

    @extend_schema(request=None, responses={200: HeldSerializer})
    def destroy(self, request: Request, instrument_id: str, run_id: str) -> Response:
        """Lift a run's own hold. What its project's keeps is still told."""
        by = caller_of(request)
        placing.release_run(instrument=instrument_id, run_id=run_id, by=by)
        return answer_hold(find_hold(find_run(instrument=instrument_id, run_id=run_id, by=by)))


class ProjectHoldViewSet(ViewSet):
    tag = "Projects"
    access = {"retrieve": access.READ, "update": access.HOLD, "destroy": access.HOLD}

    @extend_schema(responses={200: HeldSerializer})
    def retrieve(self, request: Request, project_id: UUID) -> Response:
        """What keeps the runs of a project from being deleted; null: nothing."""
        return answer_hold(find_hold_of_project(find_project(project_id, by=caller_of(request))))

    @extend_schema(request=NewHoldSerializer, responses={200: HeldSerializer})
    def update(self, request: Request, project_id: UUID) -> Response:
        """Keep the runs of a project from being deleted, purged and taken out of it. Again replaces the reason."""
        asked: dict[str, Any] = read_body(NewHoldSerializer, request.data)
        return answer_hold(placing.hold_project(project_id, **asked, by=caller_of(request), at=now()))

    @extend_schema(request=None, responses={200: HeldSerializer})
    def destroy(self, request: Request, project_id: UUID) -> Response:
        """Lift the hold of a project. Those of its runs stay."""
        placing.release_project(project_id, by=caller_of(request))
        return answer_hold(None)
