"""Wire shapes of releases, and of the question which one to run."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from watchers.choices import Channel
from watchers.configuration.serializers import IS_SHA256
from watchers.models import ReleaseInstaller, WatcherRelease
from wire.fields import Choice, LongText, StrictBoolean, StrictInteger, Text, Timestamp
from wire.outputs import represent

MAX_SIGNATURE_CHARS = 88  # 64 bytes in base64


class UpdateCheckSerializer(serializers.Serializer[Any]):
    latest_version = serializers.CharField(allow_null=True, help_text="The release that this watcher shall run now.")
    channel = Choice(choices=Channel.choices)
    mandatory = serializers.BooleanField()
    min_supported_version = serializers.CharField(allow_null=True)
    update_available = serializers.BooleanField(help_text="Whether it is another one than what the agent runs.")
    rollback = serializers.BooleanField(
        help_text="It is an older one; where `latest_version` is null, the one that the agent ran before."
    )
    sha256 = serializers.CharField(allow_null=True, help_text="Of the file that agents install; null: there is none.")
    size_bytes = serializers.IntegerField(allow_null=True)
    signature = serializers.CharField(allow_null=True, help_text="Ed25519 over the file, in base64.")
    download_url = serializers.CharField(allow_null=True, help_text="Needs no credentials, for 15 minutes.")


class NewReleaseSerializer(serializers.Serializer[Any]):
    version = Text(max_length=64)
    channel = Choice(choices=Channel.choices, required=False)
    min_supported_version = Text(max_length=64, required=False, allow_null=True)
    mandatory = StrictBoolean(required=False)
    notes = LongText(max_length=10_000, required=False, allow_blank=True)
    sha256 = Text(validators=[IS_SHA256], required=False, allow_null=True)
    signature = Text(max_length=MAX_SIGNATURE_CHARS, required=False, allow_null=True)
    wave_percent = StrictInteger(min_value=0, max_value=100, required=False)


class ReleaseChangeSerializer(serializers.Serializer[Any]):
    published = StrictBoolean(required=False)
    withdrawn = StrictBoolean(required=False)
    wave_percent = StrictInteger(min_value=0, max_value=100, required=False)

    def validate(self, asked: dict[str, Any]) -> dict[str, Any]:
        if not asked:
            raise serializers.ValidationError("One of published, withdrawn and wave_percent is needed.")
        return asked


class InstallerSerializer(serializers.Serializer[ReleaseInstaller]):
    system = serializers.CharField()
    filename = serializers.CharField()
    size_bytes = serializers.IntegerField()
    sha256 = serializers.CharField()


class ReleaseSerializer(serializers.Serializer[WatcherRelease]):
    id = serializers.IntegerField()
    version = serializers.CharField()
    channel = serializers.CharField()
    min_supported_version = serializers.CharField(allow_null=True)
    mandatory = serializers.BooleanField()
    notes = serializers.CharField()
    sha256 = serializers.CharField(allow_null=True)
    size_bytes = serializers.IntegerField(allow_null=True)
    signature = serializers.CharField(allow_null=True)
    wave_percent = serializers.IntegerField()
    installers = serializers.SerializerMethodField()
    published_at = Timestamp(allow_null=True)
    withdrawn_at = Timestamp(allow_null=True)
    created_at = Timestamp()

    @extend_schema_field(InstallerSerializer(many=True))
    def get_installers(self, release: WatcherRelease) -> list[dict[str, Any]]:
        return [represent(InstallerSerializer, one) for one in release.installers.all()]
