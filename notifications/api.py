"""REST: dispatch for scripts; the inbox and the settings for the dashboard (these two stay out of OpenAPI)."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.people import identify_people
from accounts.viewsets import ViewSet
from notifications import access, inbox, preferences
from notifications.dispatch import RunLink, dispatch_message
from notifications.models import NotificationKind
from notifications.preferences import Channels, NotificationSettings
from notifications.serializers import (
    DispatchedSerializer,
    DispatchSerializer,
    InboxParams,
    NotificationSerializer,
    NotificationSettingsSerializer,
    ReadSerializer,
)
from wire.clock import now
from wire.inputs import read_body, read_query
from wire.lists.pagination import paginate, present_page, read_window
from wire.outputs import make_presenter, represent


class DispatchViewSet(ViewSet):
    access = {"create": access.DISPATCH}
    tag = "Notifications"

    @extend_schema(request=DispatchSerializer, responses={201: DispatchedSerializer})
    def create(self, request: Request) -> Response:
        """Send a short message to people, optionally about a run.

        An exact repeat of a message that is still unread is skipped, so retrying is safe.
        """
        asked = read_body(DispatchSerializer, request.data)
        link = RunLink(**asked["run"]) if asked.get("run") else None
        done = dispatch_message(
            user_ids=[*asked.get("user_ids", ()), *identify_people(asked.get("users", ()), parameter="users")],
            message=asked["message"],
            run=link,
            by=caller_of(request),
            at=now(),
        )
        return Response(represent(DispatchedSerializer, done), status=201)


@extend_schema(exclude=True)
class InboxViewSet(ViewSet):
    access = {"list": access.INBOX, "read": access.INBOX}

    def list(self, request: Request) -> Response:
        by = caller_of(request)
        asked = read_query(InboxParams, request.query_params)
        page = paginate(inbox.list_notifications(by=by, **asked), read_window(request.query_params))
        body = present_page(page, make_presenter(NotificationSerializer))
        return Response({**body, "unread_count": inbox.count_unread(by=by)})

    def read(self, request: Request) -> Response:
        asked = read_body(ReadSerializer, request.data)
        unread = inbox.mark_read(by=caller_of(request), ids=asked.get("ids"), at=now())
        return Response({"unread_count": unread})


@extend_schema(exclude=True)
class NotificationSettingsViewSet(ViewSet):
    access = {"retrieve": access.SETTINGS, "update": access.SETTINGS}

    def retrieve(self, request: Request) -> Response:
        return Response(represent_settings(preferences.read_settings(by=caller_of(request))))

    def update(self, request: Request) -> Response:
        asked = read_body(NotificationSettingsSerializer, request.data)
        kinds = {NotificationKind(kind): Channels(**channels) for kind, channels in asked.get("kinds", {}).items()}
        follows = asked.get("followed_instruments")
        changed = preferences.write_settings(kinds=kinds, followed_instruments=follows, by=caller_of(request))
        return Response(represent_settings(changed))


def represent_settings(found: NotificationSettings) -> dict[str, Any]:
    return {
        "kinds": {
            kind.value: {
                "in_app": way.in_app,
                "chat": way.chat,
                "email": bool(way.email),
                "email_daily": bool(way.email_daily),
            }
            for kind, way in found.kinds.items()
        },
        "followed_instruments": found.followed_instruments,
    }
