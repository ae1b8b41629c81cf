"""REST: the configuration that an agent runs, and the one that is wanted of it."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from watchers import access, config, wanted_config
from watchers.api import DEREGISTERED_RESPONSE
from watchers.configuration.serializers import (
    ConfigChecksumSerializer,
    ConfigSerializer,
    NewConfigSerializer,
    PushConfigSerializer,
    PushedConfigSerializer,
    WantedConfigSerializer,
    WithdrawnSerializer,
)
from wire.clock import now
from wire.inputs import read_body
from wire.openapi import refusal_response
from wire.outputs import represent

YAML = "application/yaml"


class YamlRenderer(JSONRenderer):
    """Lets `Accept: application/yaml` in. What is not the configuration itself, a refusal too, is JSON all the same."""

    media_type, format = YAML, "yaml"

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        renderer_context["response"]["Content-Type"] = JSONRenderer.media_type
        return super().render(data, JSONRenderer.media_type, renderer_context)


class ConfigViewSet(ViewSet):
    tag = "Watchers"
    access = {"retrieve": access.READ, "update": access.REPORT, "checksum": access.READ}
    renderer_classes = [JSONRenderer, YamlRenderer]

    @extend_schema(responses={(200, "application/json"): ConfigSerializer, (200, YAML): OpenApiTypes.STR})
    def retrieve(self, request: Request, watcher_id: UUID) -> Response | HttpResponse:
        """The configuration as it was pushed; the YAML itself where `Accept` asks for `application/yaml`."""
        found = config.find_config(watcher_id, by=caller_of(request))
        if request.accepted_renderer.format == YamlRenderer.format:
            return HttpResponse(found.config_yaml.encode(), content_type=YAML)
        return Response(represent(ConfigSerializer, found))

    @extend_schema(
        request=PushConfigSerializer,
        responses={(200, "application/json"): PushedConfigSerializer, 409: DEREGISTERED_RESPONSE},
    )
    def update(self, request: Request, watcher_id: UUID) -> Response:
        """Push the configuration. It is kept byte for byte."""
        asked = read_body(PushConfigSerializer, request.data)
        return Response(
            represent(PushedConfigSerializer, config.push_config(watcher_id, **asked, by=caller_of(request), at=now()))
        )

    @extend_schema(responses={(200, "application/json"): ConfigChecksumSerializer})
    def checksum(self, request: Request, watcher_id: UUID) -> Response:
        """The checksum of the configuration that is kept here."""
        return Response(represent(ConfigChecksumSerializer, config.find_config(watcher_id, by=caller_of(request))))


class WantedConfigViewSet(ViewSet):
    tag = "Watchers"
    access = {"retrieve": access.READ, "update": access.CONFIGURE, "destroy": access.CONFIGURE}

    @extend_schema(responses={200: WantedConfigSerializer})
    def retrieve(self, request: Request, watcher_id: UUID) -> Response:
        """The configuration that admins want the watcher to run, and what became of it.

        For the watcher's own token and for admins.
        """
        found = wanted_config.find_wanted_config(watcher_id, by=caller_of(request))
        return Response(represent(WantedConfigSerializer, found))

    @extend_schema(
        request=NewConfigSerializer,
        responses={
            200: WantedConfigSerializer,
            409: refusal_response(
                "The watcher is deregistered (`details.deleted_at`), or its computer takes no configuration from here."
            ),
        },
    )
    def update(self, request: Request, watcher_id: UUID) -> Response:
        """Ask the agent to run this configuration; it hears of it with its next heartbeat, tries it, and takes it by
        its own `PUT config`, or refuses it by the event `config_refused`. Of several the last one counts.

        Keys that stay with the computer (folder, addresses, metrics, updates) may be left out; to change them needs
        `remote: all` in the configuration that it runs.
        """
        asked = read_body(NewConfigSerializer, request.data)
        wanted = wanted_config.want_config(watcher_id, **asked, by=caller_of(request), at=now())
        return Response(represent(WantedConfigSerializer, wanted))

    @extend_schema(responses={200: WithdrawnSerializer})
    def destroy(self, request: Request, watcher_id: UUID) -> Response:
        """Want nothing of the watcher any more; what it took already it keeps. Repeating it is safe."""
        withdrawn = wanted_config.withdraw_wanted_config(watcher_id, by=caller_of(request))
        return Response(represent(WithdrawnSerializer, withdrawn))
