"""REST: a person's own notification rules, for sessions (out of OpenAPI, as the settings are)."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from notifications import access
from notifications.rules import catalogue
from notifications.rules.serializers import NotificationRuleSerializer, RuleChangeSerializer, read_rule_wish
from wire.clock import now
from wire.inputs import read_change
from wire.lists.pagination import paginate, present_page, read_window
from wire.outputs import make_presenter, represent


@extend_schema(exclude=True)
class NotificationRuleViewSet(ViewSet):
    access = {
        "list": access.SETTINGS,
        "create": access.SETTINGS,
        "partial_update": access.SETTINGS,
        "destroy": access.SETTINGS,
    }

    def list(self, request: Request) -> Response:
        page = paginate(catalogue.list_rules(by=caller_of(request)), read_window(request.query_params))
        return Response(present_page(page, make_presenter(NotificationRuleSerializer)))

    def create(self, request: Request) -> Response:
        made = catalogue.add_rule(read_rule_wish(request.data), by=caller_of(request), at=now())
        return Response(represent(NotificationRuleSerializer, made), status=201)

    def partial_update(self, request: Request, rule_id: UUID) -> Response:
        values = read_change(RuleChangeSerializer, request.data, record=NotificationRuleSerializer)
        changed = catalogue.change_rule(rule_id, values=values, by=caller_of(request), at=now())
        return Response(represent(NotificationRuleSerializer, changed))

    def destroy(self, request: Request, rule_id: UUID) -> Response:
        catalogue.delete_rule(rule_id, by=caller_of(request))
        return Response(status=204)
