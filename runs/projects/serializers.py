"""Wire shapes of projects."""

from typing import Any

from rest_framework import serializers

from runs.eln.links import find_template_fault
from runs.projects.models import Project
from wire.fields import LongText, Name, QueryBoolean, Text, Timestamp, Uuid
from wire.lists.pagination import PageParams

MAX_DESCRIPTION_CHARACTERS = 10_000
LINK_PATTERN = r"^https?://[^\s/]+[^\s]*$"
ELN_HELP = "Instead of the common one: https://eln.example/{sample}, with keys of the metadata, run_id or instrument."
ARCHIVED_HELP = "Since when it takes no more runs; null: it does."


class Link(Text):
    """An address of http or https."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=2_000, pattern=LINK_PATTERN, **kwargs)
        self.validators.append(_refuse_other_schemes)


def _refuse_other_schemes(link: str) -> None:
    host = link.partition("://")[2].partition("/")[0]
    if not link.startswith(("http://", "https://")) or not host or any(sign.isspace() for sign in link):
        raise serializers.ValidationError("An address that begins with http:// or https:// is needed.")


class ElnTemplate(Text):
    """An address with keys in braces."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=2_000, help_text=ELN_HELP, **kwargs)
        self.validators.append(_refuse_bad_template)


def _refuse_bad_template(template: str) -> None:
    if fault := find_template_fault(template):
        raise serializers.ValidationError(fault)


class ProjectSerializer(serializers.Serializer[Project]):
    id = Uuid()
    name = serializers.CharField()
    description = serializers.CharField(allow_blank=True)
    link = serializers.CharField(allow_null=True)
    eln_template = serializers.CharField(allow_null=True, help_text=ELN_HELP)
    archived_at = Timestamp(allow_null=True, help_text=ARCHIVED_HELP)
    created_at = Timestamp()


class NewProjectSerializer(serializers.Serializer[Any]):
    name = Name(max_length=255)
    description = LongText(max_length=MAX_DESCRIPTION_CHARACTERS, required=False, allow_blank=True)
    link = Link(required=False, allow_null=True)
    eln_template = ElnTemplate(required=False, allow_null=True)


class ProjectChangeSerializer(serializers.Serializer[Any]):
    name = Name(max_length=255, required=False)
    description = LongText(max_length=MAX_DESCRIPTION_CHARACTERS, required=False, allow_blank=True)
    link = Link(required=False, allow_null=True)
    eln_template = ElnTemplate(required=False, allow_null=True)
    archived_at = Timestamp(required=False, allow_null=True, help_text=ARCHIVED_HELP)


class ProjectListParams(PageParams):
    archived = QueryBoolean(required=False, help_text="Only archived ones, or only the others.")
