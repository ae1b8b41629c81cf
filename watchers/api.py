"""REST: watchers. Their upload queue is the files app's."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from accounts.authentication import caller_of
from watchers import access, config, events, fleet, heartbeats, registration, releases
from watchers.serializers import (
    ConfigChecksumSerializer,
    ConfigSerializer,
    DeregisteredWatcherSerializer,
    EventBatchSerializer,
    EventListParams,
    EventSerializer,
    HeardSerializer,
    HeartbeatSerializer,
    NewConfigSerializer,
    NewHeartbeatSerializer,
    NewReleaseSerializer,
    NewWatcherSerializer,
    PublishSerializer,
    PushedConfigSerializer,
    RegisteredWatcherSerializer,
    ReleaseSerializer,
    StoredEventsSerializer,
    UpdateCheckSerializer,
    WatcherListParams,
    WatcherSerializer,
)
from wire.clock import now
from wire.inputs import read_body, read_query
from wire.openapi import paged, refused
from wire.outputs import presenter, represent
from wire.pagination import PageParams, page_answer, page_of, read_window

YAML = "application/yaml"
GONE = refused("The watcher is deregistered (`details.deleted_at`).")
TAKEN = refused(
    "The instrument has an active watcher (`details.existing_watcher_id`, `details.hostname`), or is inactive."
)


class WatcherViewSet(ViewSet):
    tag = "Watchers"
    access = {
        "list": access.READ,
        "register": access.REGISTER,
        "retrieve": access.READ,
        "destroy": access.DEREGISTER,
        "check_for_update": access.READ,
    }

    @extend_schema(parameters=[WatcherListParams], responses={200: paged(WatcherSerializer)})
    def list(self, request: Request) -> Response:
        """List watchers, newest first."""
        window = read_window(request.query_params)
        asked = read_query(WatcherListParams, request.query_params)
        found = fleet.list_watchers(
            instrument_id=asked.get("instrument_id"),
            include_deleted=asked.get("include_deleted", False),
            by=caller_of(request),
        )
        return Response(page_answer(page_of(found, window), presenter(WatcherSerializer)))

    @extend_schema(request=NewWatcherSerializer, responses={201: RegisteredWatcherSerializer, 409: TAKEN})
    def register(self, request: Request) -> Response:
        """Attach a watcher to an instrument. It answers to the calling token from now on."""
        asked = read_body(NewWatcherSerializer, request.data)
        instrument_id, agent = asked.pop("instrument_id"), registration.Agent(**asked)
        watcher = registration.register_watcher(
            instrument_id=instrument_id, agent=agent, by=caller_of(request), at=now()
        )
        return Response(represent(RegisteredWatcherSerializer, watcher), status=201)

    @extend_schema(responses={200: WatcherSerializer})
    def retrieve(self, request: Request, watcher_id: UUID) -> Response:
        """One watcher, a deregistered one too."""
        return Response(represent(WatcherSerializer, fleet.find_watcher(watcher_id, by=caller_of(request))))

    @extend_schema(responses={200: DeregisteredWatcherSerializer})
    def destroy(self, request: Request, watcher_id: UUID) -> Response:
        """Deregister a watcher; its instrument is free for another. Repeating it is safe."""
        gone = registration.deregister_watcher(watcher_id, by=caller_of(request), at=now())
        return Response(represent(DeregisteredWatcherSerializer, gone))

    @extend_schema(responses={200: UpdateCheckSerializer})
    def check_for_update(self, request: Request, watcher_id: UUID) -> Response:
        """The current release of the watcher's channel, and whether it is newer than its agent."""
        return Response(represent(UpdateCheckSerializer, releases.check_for_update(watcher_id, by=caller_of(request))))


class HeartbeatViewSet(ViewSet):
    tag = "Watchers"
    access = {"list": access.READ, "create": access.HEARTBEAT}

    @extend_schema(parameters=[PageParams], responses={200: paged(HeartbeatSerializer)})
    def list(self, request: Request, watcher_id: UUID) -> Response:
        """The heartbeats of the last days, newest first."""
        window = read_window(request.query_params)
        found = heartbeats.list_heartbeats(watcher_id, by=caller_of(request))
        return Response(page_answer(page_of(found, window), presenter(HeartbeatSerializer)))

    @extend_schema(
        request=NewHeartbeatSerializer,
        responses={
            200: HeardSerializer,
            409: GONE,
            426: refused(
                "The agent is older than `details.min_supported_version`; `details.latest_version` is current. "
                "Nothing is recorded."
            ),
        },
    )
    def create(self, request: Request, watcher_id: UUID) -> Response:
        """Say that the watcher lives. The time of arrival counts, by the server's clock."""
        report = heartbeats.HeartbeatReport(**read_body(NewHeartbeatSerializer, request.data))
        heard = heartbeats.hear(watcher_id, report=report, by=caller_of(request), at=now())
        return Response(represent(HeardSerializer, heard))


class EventViewSet(ViewSet):
    tag = "Watchers"
    access = {"list": access.READ, "create": access.REPORT}

    @extend_schema(parameters=[EventListParams], responses={200: paged(EventSerializer)})
    def list(self, request: Request, watcher_id: UUID) -> Response:
        """What the watcher told, newest first by its own clock."""
        window = read_window(request.query_params)
        asked = read_query(EventListParams, request.query_params)
        found = events.list_events(
            watcher_id, event_type=asked.get("event_type"), since=asked.get("since"), by=caller_of(request)
        )
        return Response(page_answer(page_of(found, window), presenter(EventSerializer)))

    @extend_schema(request=EventBatchSerializer, responses={201: StoredEventsSerializer, 409: GONE})
    def create(self, request: Request, watcher_id: UUID) -> Response:
        """Submit 1 to 500 events, all of them or none. Repeating a batch whose events have ids is safe."""
        asked = read_body(EventBatchSerializer, request.data)
        batch = [events.NewEvent(**item) for item in asked["events"]]
        stored = events.store_events(watcher_id, events=batch, by=caller_of(request), at=now())
        return Response(represent(StoredEventsSerializer, stored), status=201)


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
        request=NewConfigSerializer, responses={(200, "application/json"): PushedConfigSerializer, 409: GONE}
    )
    def update(self, request: Request, watcher_id: UUID) -> Response:
        """Push the configuration. It is kept byte for byte."""
        asked = read_body(NewConfigSerializer, request.data)
        return Response(
            represent(PushedConfigSerializer, config.push_config(watcher_id, **asked, by=caller_of(request), at=now()))
        )

    @extend_schema(responses={(200, "application/json"): ConfigChecksumSerializer})
    def checksum(self, request: Request, watcher_id: UUID) -> Response:
        """The checksum of the configuration that is kept here."""
        return Response(represent(ConfigChecksumSerializer, config.find_config(watcher_id, by=caller_of(request))))


@extend_schema(exclude=True)
class ReleaseViewSet(ViewSet):
    access = {"list": access.RELEASES, "create": access.RELEASES, "partial_update": access.RELEASES}

    def list(self, request: Request) -> Response:
        page = page_of(releases.list_releases(), read_window(request.query_params))
        return Response(page_answer(page, presenter(ReleaseSerializer)))

    def create(self, request: Request) -> Response:
        new = releases.NewRelease(**read_body(NewReleaseSerializer, request.data))
        return Response(
            represent(ReleaseSerializer, releases.create_release(new, by=caller_of(request), at=now())), status=201
        )

    def partial_update(self, request: Request, release_id: int) -> Response:
        asked = read_body(PublishSerializer, request.data)
        by, wanted = caller_of(request), asked["published"]
        release = releases.set_published(release_id, is_published=wanted, by=by, at=now())
        return Response(represent(ReleaseSerializer, release))
