"""REST: watchers. Their upload queue is the files app's."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from watchers import (
    access,
    events,
    fleet,
    heartbeats,
    instances,
    registration,
    update_checks,
)
from watchers.folders import FolderReport
from watchers.serializers import (
    DeregisteredWatcherSerializer,
    EventBatchSerializer,
    EventListParams,
    EventSerializer,
    HeardSerializer,
    HeartbeatSerializer,
    InstanceSerializer,
    NewHeartbeatSerializer,
    NewWatcherSerializer,
    RegisteredWatcherSerializer,
    StoredEventsSerializer,
    WatcherListParams,
    WatcherSerializer,
)
from watchers.updates.api import to_update_answer
from watchers.updates.serializers import UpdateCheckSerializer
from wire.clock import now
from wire.inputs import SerializerClass, read_body, read_query
from wire.lists.pagination import PageParams, paginate, present_page, read_window
from wire.openapi import page_serializer, refusal_response
from wire.outputs import make_presenter, represent

DEREGISTERED_RESPONSE = refusal_response("The watcher is deregistered (`details.deleted_at`).")
ALREADY_ACTIVE_RESPONSE = refusal_response(
    "The instrument has an active watcher (`details.existing_watcher_id`, `details.hostname`), or is inactive."
)


def read_description(serializer: SerializerClass, body: Any) -> dict[str, Any]:
    """What an agent says of itself, with its folder as the report that topic functions take."""
    asked = read_body(serializer, body)
    return asked | {"folder": FolderReport(**asked["folder"]) if asked.get("folder") else None}


class WatcherViewSet(ViewSet):
    tag = "Watchers"
    access = {
        "list": access.READ,
        "register": access.REGISTER,
        "retrieve": access.READ,
        "destroy": access.DEREGISTER,
        "check_for_update": access.READ,
    }

    @extend_schema(parameters=[WatcherListParams], responses={200: page_serializer(WatcherSerializer)})
    def list(self, request: Request) -> Response:
        """List watchers, newest first."""
        window = read_window(request.query_params)
        asked = read_query(WatcherListParams, request.query_params)
        found = fleet.list_watchers(
            instrument_id=asked.get("instrument_id"),
            include_deleted=asked.get("include_deleted", False),
            by=caller_of(request),
        )
        return Response(present_page(paginate(found, window), make_presenter(WatcherSerializer)))

    @extend_schema(
        request=NewWatcherSerializer, responses={201: RegisteredWatcherSerializer, 409: ALREADY_ACTIVE_RESPONSE}
    )
    def register(self, request: Request) -> Response:
        """Attach a watcher to an instrument. It answers to the calling token from now on."""
        asked = read_description(NewWatcherSerializer, request.data)
        instrument_id, agent = asked.pop("instrument_id"), registration.AgentDescription(**asked)
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
        """The release that this watcher shall run now, once its wave is here. It may be an older one."""
        check = update_checks.check_for_update(watcher_id, by=caller_of(request))
        return Response(represent(UpdateCheckSerializer, to_update_answer(check)))


class InstanceViewSet(ViewSet):
    tag = "Watchers"
    access = {"create": access.SETTLE_INSTANCE}

    @extend_schema(request=InstanceSerializer, responses={200: WatcherSerializer, 409: DEREGISTERED_RESPONSE})
    def create(self, request: Request, watcher_id: UUID) -> Response:
        """Say which installation the watcher is from now on. Heartbeats of any other are refused."""
        asked = read_body(InstanceSerializer, request.data)
        settled = instances.settle_instance(watcher_id, **asked, by=caller_of(request), at=now())
        return Response(represent(WatcherSerializer, settled))


class HeartbeatViewSet(ViewSet):
    tag = "Watchers"
    access = {"list": access.READ, "create": access.HEARTBEAT}

    @extend_schema(parameters=[PageParams], responses={200: page_serializer(HeartbeatSerializer)})
    def list(self, request: Request, watcher_id: UUID) -> Response:
        """The heartbeats of the last days, newest first."""
        window = read_window(request.query_params)
        found = heartbeats.list_heartbeats(watcher_id, by=caller_of(request))
        return Response(present_page(paginate(found, window), make_presenter(HeartbeatSerializer)))

    @extend_schema(
        request=NewHeartbeatSerializer,
        responses={
            200: HeardSerializer,
            409: refusal_response(
                "The watcher is deregistered (`details.deleted_at`), or another installation reports as it "
                "(`details.existing_instance`, `details.hostname`): nothing is recorded until an admin settles it."
            ),
            426: refusal_response(
                "The agent is older than `details.min_supported_version`; `details.latest_version` is current. "
                "Nothing is recorded."
            ),
        },
    )
    def create(self, request: Request, watcher_id: UUID) -> Response:
        """Say that the watcher lives. The time of arrival counts, by the server's clock."""
        report = heartbeats.HeartbeatReport(**read_description(NewHeartbeatSerializer, request.data))
        heard = heartbeats.record_heartbeat(watcher_id, report=report, by=caller_of(request), at=now())
        return Response(represent(HeardSerializer, heard))


class EventViewSet(ViewSet):
    tag = "Watchers"
    access = {"list": access.READ, "create": access.REPORT}

    @extend_schema(parameters=[EventListParams], responses={200: page_serializer(EventSerializer)})
    def list(self, request: Request, watcher_id: UUID) -> Response:
        """The events of a watcher, newest first by its own clock."""
        window = read_window(request.query_params)
        asked = read_query(EventListParams, request.query_params)
        found = events.list_events(
            watcher_id, event_type=asked.get("event_type"), since=asked.get("since"), by=caller_of(request)
        )
        return Response(present_page(paginate(found, window), make_presenter(EventSerializer)))

    @extend_schema(
        request=EventBatchSerializer,
        responses={
            201: StoredEventsSerializer,
            409: DEREGISTERED_RESPONSE,
            429: refusal_response("Too many events of this token: `Retry-After` says when the batch may come again."),
        },
    )
    def create(self, request: Request, watcher_id: UUID) -> Response:
        """Submit 1 to 500 events, all of them or none. Repeating a batch whose events have ids is safe.

        Their times lie between 2000-01-01 and a day from now.
        """
        asked = read_body(EventBatchSerializer, request.data)
        batch = [events.NewEvent(**item) for item in asked["events"]]
        stored = events.store_events(watcher_id, events=batch, by=caller_of(request), at=now())
        return Response(represent(StoredEventsSerializer, stored), status=201)
