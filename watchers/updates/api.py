"""REST: releases of the agent, and which one a watcher shall run."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from files import release_files
from watchers import access, releases, update_checks
from watchers.updates.serializers import NewReleaseSerializer, ReleaseChangeSerializer, ReleaseSerializer
from wire.clock import now
from wire.inputs import read_body
from wire.lists.pagination import paginate, present_page, read_window
from wire.outputs import make_presenter, represent


def to_update_answer(check: update_checks.UpdateCheck) -> dict[str, Any]:
    release = check.release
    file = {name: getattr(release, name, None) for name in ("sha256", "size_bytes", "signature")}
    return {
        "latest_version": release.version if release else None,
        "channel": check.channel,
        "mandatory": check.mandatory,
        "min_supported_version": release.min_supported_version if release else None,
        "update_available": check.update_available,
        "rollback": check.rollback,
        "download_url": release_files.sign_update_url(release) if release else None,
        **file,
    }


@extend_schema(exclude=True)
class ReleaseViewSet(ViewSet):
    access = {"list": access.RELEASES, "create": access.RELEASES, "partial_update": access.RELEASES}

    def list(self, request: Request) -> Response:
        page = paginate(releases.list_releases().prefetch_related("installers"), read_window(request.query_params))
        return Response(present_page(page, make_presenter(ReleaseSerializer)))

    def create(self, request: Request) -> Response:
        new = releases.NewRelease(**read_body(NewReleaseSerializer, request.data))
        release = release_files.add_release(new, by=caller_of(request), at=now())
        return Response(represent(ReleaseSerializer, release), status=201)

    def partial_update(self, request: Request, release_id: int) -> Response:
        change = releases.ReleaseChange(**read_body(ReleaseChangeSerializer, request.data))
        release = releases.change_release(release_id, change, by=caller_of(request), at=now())
        return Response(represent(ReleaseSerializer, release))
