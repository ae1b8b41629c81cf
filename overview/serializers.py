"""Wire shapes of what looks across everything."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.models import Integration
from accounts.serializers import ListedPersonSerializer
from instruments.models import InstrumentStatus
from overview.search import Group
from runs.models import Comment
from runs.status import RunStatus
from wire.fields import Choice, Text, Timestamp, Uuid

MAX_EXCERPT_CHARACTERS = 200


class SearchParams(serializers.Serializer[Any]):
    q = Text(min_length=2, max_length=200, help_text="A part of a name or text, in any case.")
    scope = Choice(choices=[str(group) for group in Group], required=False, help_text="25 of one group.")


class FoundRunSerializer(serializers.Serializer[Any]):
    id = Uuid()
    instrument_id = serializers.CharField()
    run_id = serializers.CharField()
    status = serializers.SerializerMethodField()
    acquired_at = Timestamp(allow_null=True)

    @extend_schema_field(Choice(choices=RunStatus.choices))
    def get_status(self, run: Any) -> str:
        return str(run.status_at(self.context["at"]))


class FoundFileSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    filename = serializers.CharField()
    instrument_id = serializers.CharField(source="run.instrument_id")
    run_id = serializers.CharField(source="run.run_id")
    size_bytes = serializers.IntegerField(allow_null=True)


class FoundInstrumentSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    display_name = serializers.CharField()
    status = Choice(choices=InstrumentStatus.choices)


class FoundCommentSerializer(serializers.Serializer[Comment]):
    id = Uuid()
    excerpt = serializers.SerializerMethodField()
    instrument_id = serializers.CharField(source="run.instrument_id")
    run_id = serializers.CharField(source="run.run_id")
    author = serializers.SerializerMethodField()

    def get_excerpt(self, comment: Comment) -> str:
        line = " ".join(comment.body.split())
        return line if len(line) <= MAX_EXCERPT_CHARACTERS else line[: MAX_EXCERPT_CHARACTERS - 1] + "…"

    def get_author(self, comment: Comment) -> str:
        return comment.user.name if comment.user else comment.token.name if comment.token else ""


class FoundSerializer(serializers.Serializer[Any]):
    """A group of 5, or 25 of the one that was asked for."""

    runs = FoundRunSerializer(many=True)
    files = FoundFileSerializer(many=True)
    instruments = FoundInstrumentSerializer(many=True)
    comments = FoundCommentSerializer(many=True)
    people = ListedPersonSerializer(many=True)


class WatcherCountsSerializer(serializers.Serializer[Any]):
    active = serializers.IntegerField()
    offline = serializers.IntegerField()


class RunCountsSerializer(serializers.Serializer[Any]):
    failed = serializers.IntegerField()
    stalled = serializers.IntegerField()


class JobCountsSerializer(serializers.Serializer[Any]):
    waiting = serializers.IntegerField()
    oldest_seconds = serializers.IntegerField()


class ProcessorsSerializer(serializers.Serializer[Any]):
    broken = serializers.ListField(child=serializers.CharField())


class SystemStatusSerializer(serializers.Serializer[Any]):
    status = serializers.CharField()
    version = serializers.CharField()
    time = Timestamp()
    time_zone = serializers.CharField()
    database = serializers.CharField()
    queue = serializers.CharField()
    storage = serializers.CharField()
    watchers = WatcherCountsSerializer()
    runs = RunCountsSerializer()
    jobs = JobCountsSerializer()
    processors = ProcessorsSerializer()


class PrincipalSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(allow_null=True)
    name = serializers.CharField()


class ActorSerializer(PrincipalSerializer):
    """Who did it. A client acts for a person: `on_behalf_of`; for all others that is null."""

    kind = serializers.ChoiceField(choices=["person", "token", "client", "service"])
    on_behalf_of = PrincipalSerializer(allow_null=True)


class ThingSerializer(serializers.Serializer[Any]):
    """What was changed: a run, file, claim, comment, instrument or watcher, and what it is called now."""

    kind = serializers.CharField()
    id = serializers.CharField()
    name = serializers.CharField(allow_null=True)


class HistoryEntrySerializer(serializers.Serializer[Any]):
    """One change. `changes` holds [before, after] of each field; callers' metadata key by key, as `metadata.<key>`."""

    id = serializers.IntegerField()
    at = Timestamp()
    actor = ActorSerializer()
    action = serializers.ChoiceField(choices=["created", "changed", "deleted", "restored", "revoked"])
    object = ThingSerializer()
    changes = serializers.DictField(
        child=serializers.ListField(child=serializers.JSONField(), min_length=2, max_length=2)
    )
    request_id = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)


class WhoamiSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField()
    id = Uuid()
    name = serializers.CharField()
    scopes = serializers.ListField(child=serializers.CharField())
    instrument_ids = serializers.ListField(child=serializers.CharField(), allow_null=True)


class ConnectSerializer(serializers.Serializer[Any]):
    """How to connect; an absent token keeps the one that is stored."""

    base_url = Text(max_length=500, required=False)
    token = Text(max_length=500, required=False)


class ConnectTrackerSerializer(ConnectSerializer):
    repository = Text(max_length=200)


class IntegrationsSerializer(serializers.Serializer[Any]):
    """Null disconnects; what is absent stays as it is."""

    chat = ConnectSerializer(required=False, allow_null=True)
    tracker = ConnectTrackerSerializer(required=False, allow_null=True)


class IntegrationSerializer(serializers.Serializer[Integration]):
    """A connection; its secret is written and never read."""

    base_url = serializers.CharField()
    repository = serializers.CharField(source="target")
    changed_at = Timestamp()
    last_ok_at = Timestamp(allow_null=True)
    last_error_at = Timestamp(allow_null=True)
    last_error = serializers.CharField()


# DataCite metadata: the names are those of its JSON schema.


class TypesSerializer(serializers.Serializer[Any]):
    resourceTypeGeneral = serializers.CharField()  # noqa: N815  # DataCite's
    resourceType = serializers.CharField()  # noqa: N815


class TitleSerializer(serializers.Serializer[Any]):
    title = serializers.CharField()


class CreatorSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    nameType = serializers.CharField(required=False)  # noqa: N815


class PublisherSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()


class AlternateIdentifierSerializer(serializers.Serializer[Any]):
    alternateIdentifier = serializers.CharField()  # noqa: N815
    alternateIdentifierType = serializers.CharField()  # noqa: N815


class RelatedIdentifierSerializer(serializers.Serializer[Any]):
    relatedIdentifier = serializers.CharField()  # noqa: N815
    relatedIdentifierType = serializers.CharField()  # noqa: N815
    relationType = serializers.CharField()  # noqa: N815


class DateSerializer(serializers.Serializer[Any]):
    date = serializers.CharField(help_text="A day, or two with a slash between.")
    dateType = serializers.CharField()  # noqa: N815


class DescriptionSerializer(serializers.Serializer[Any]):
    description = serializers.CharField()
    descriptionType = serializers.CharField()  # noqa: N815


class DataciteSerializer(serializers.Serializer[Any]):
    schemaVersion = serializers.CharField()  # noqa: N815
    types = TypesSerializer()
    titles = TitleSerializer(many=True)
    creators = CreatorSerializer(many=True)
    publisher = PublisherSerializer()
    publicationYear = serializers.CharField(help_text="The year of asking.")  # noqa: N815
    alternateIdentifiers = AlternateIdentifierSerializer(many=True)  # noqa: N815
    relatedIdentifiers = RelatedIdentifierSerializer(many=True)  # noqa: N815
    dates = DateSerializer(many=True)
    formats = serializers.ListField(child=serializers.CharField(), help_text="Media types.")
    sizes = serializers.ListField(child=serializers.CharField())
    descriptions = DescriptionSerializer(many=True)
