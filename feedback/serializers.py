"""Wire shapes of reports."""

from typing import Any
from urllib.parse import urlsplit

from rest_framework import serializers

from accounts.serializers import PersonRefSerializer
from feedback.models import FeedbackKind, Report
from wire.fields import Choice, LongText, Text, Timestamp, Uuid


class NewReportSerializer(serializers.Serializer[Any]):
    kind = Choice(choices=FeedbackKind.choices)
    title = Text(min_length=1, max_length=200)
    description = LongText(min_length=1, max_length=10_000)
    page_url = Text(max_length=2_000, required=False, allow_null=True)

    def validate_page_url(self, address: str | None) -> str:
        if address and urlsplit(address).scheme not in ("http", "https"):
            raise serializers.ValidationError("An address of a page is needed.")
        return address or ""


class ReportSerializer(serializers.Serializer[Report]):
    id = Uuid()
    kind = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    page_url = serializers.CharField()
    status = serializers.CharField()
    url = serializers.SerializerMethodField()
    created_by = PersonRefSerializer()
    created_at = Timestamp()

    def get_url(self, report: Report) -> str | None:
        return report.url or None


class SentReportSerializer(serializers.Serializer[Report]):
    id = Uuid()
    url = serializers.CharField()
    status = serializers.CharField()
