"""REST: reports, for the dashboard; out of the OpenAPI document."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.authentication import caller_of
from accounts.viewsets import ViewSet
from feedback import access, reports
from feedback.serializers import NewReportSerializer, ReportSerializer, SentReportSerializer
from wire.clock import now
from wire.inputs import read_body
from wire.lists.pagination import paginate, present_page, read_window
from wire.outputs import make_presenter, represent


@extend_schema(exclude=True)
class FeedbackViewSet(ViewSet):
    access = {"list": access.REPORT, "create": access.REPORT, "retrieve": access.REPORT}

    def list(self, request: Request) -> Response:
        window = read_window(request.query_params)
        page = paginate(reports.list_reports(by=caller_of(request)), window)
        return Response(present_page(page, make_presenter(ReportSerializer)))

    def create(self, request: Request) -> Response:
        asked = read_body(NewReportSerializer, request.data)
        asked["page_url"] = asked.get("page_url") or ""
        sent = reports.send_report(reports.NewReport(**asked), by=caller_of(request), at=now())
        return Response(represent(SentReportSerializer, sent), status=201)

    def retrieve(self, request: Request, report_id: Any) -> Response:
        return Response(represent(ReportSerializer, reports.find_report(report_id, by=caller_of(request))))
