"""REST: receivers of events and what was sent to them. It belongs to the dashboard and stays out of OpenAPI."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from changes import access
from changes.webhooks import catalogue, deliveries
from changes.webhooks.catalogue import WebhookSettings
from changes.webhooks.models import WebhookKind
from changes.webhooks.serializers import (
    DeliverySerializer,
    NewWebhookSerializer,
    WebhookChangeSerializer,
    WebhookSerializer,
)
from wire.clock import now
from wire.inputs import read_body, read_change
from wire.lists.pagination import paginate, present_page, read_window
from wire.outputs import make_presenter, represent


@extend_schema(exclude=True)
class WebhookViewSet(ViewSet):
    access = {
        "list": access.WEBHOOKS_READ,
        "create": access.WEBHOOKS,
        "retrieve": access.WEBHOOKS_READ,
        "partial_update": access.WEBHOOKS,
        "destroy": access.WEBHOOKS,
        "rotate_secret": access.WEBHOOKS,
        "test": access.WEBHOOKS,
    }

    def list(self, request: Request) -> Response:
        page = paginate(catalogue.list_webhooks(), read_window(request.query_params))
        return Response(present_page(page, make_presenter(WebhookSerializer)))

    def create(self, request: Request) -> Response:
        wanted = WebhookSettings(**_with_kind(read_body(NewWebhookSerializer, request.data)))
        new = catalogue.add_webhook(wanted, by=caller_of(request), at=now())
        return Response({**represent(WebhookSerializer, new.webhook), "secret": new.secret}, status=201)

    def retrieve(self, request: Request, webhook_id: Any) -> Response:
        return Response(represent(WebhookSerializer, catalogue.find_webhook(webhook_id)))

    def partial_update(self, request: Request, webhook_id: Any) -> Response:
        asked = _with_kind(read_change(WebhookChangeSerializer, request.data, record=WebhookSerializer))
        changed = catalogue.change_webhook(webhook_id, asked, by=caller_of(request), at=now())
        return Response(represent(WebhookSerializer, changed))

    def destroy(self, request: Request, webhook_id: Any) -> Response:
        catalogue.delete_webhook(webhook_id, by=caller_of(request))
        return Response(status=204)

    def rotate_secret(self, request: Request, webhook_id: Any) -> Response:
        new = catalogue.rotate_secret(webhook_id, by=caller_of(request), at=now())
        return Response({"secret": new.secret})

    def test(self, request: Request, webhook_id: Any) -> Response:
        sent = deliveries.send_test(webhook_id, by=caller_of(request), at=now())
        return Response({"delivery_id": str(sent.pk)}, status=202)


@extend_schema(exclude=True)
class DeliveryViewSet(ViewSet):
    access = {"list": access.WEBHOOKS_READ, "redeliver": access.WEBHOOKS}

    def list(self, request: Request, webhook_id: Any) -> Response:
        page = paginate(deliveries.list_deliveries(webhook_id), read_window(request.query_params))
        return Response(present_page(page, make_presenter(DeliverySerializer)))

    def redeliver(self, request: Request, webhook_id: Any, delivery_id: Any) -> Response:
        sent = deliveries.redeliver(webhook_id, delivery_id, by=caller_of(request), at=now())
        return Response({"delivery_id": str(sent.pk)}, status=202)


def _with_kind(asked: dict[str, Any]) -> dict[str, Any]:
    return asked | {"kind": WebhookKind(asked["kind"])} if "kind" in asked else asked
