"""Wire shapes of configurations: the one that runs and the one that is wanted."""

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from watchers.choices import WantedConfigState
from watchers.models import WantedConfig
from wire.errors import PayloadTooLarge
from wire.fields import KIB, Choice, Text, Timestamp, Uuid

MAX_CONFIG_BYTES = 256 * KIB
IS_SHA256 = RegexValidator(r"^[0-9a-f]{64}\Z", "64 lower-case hex digits are needed.")


class ConfigYaml(Text):
    """YAML as it is: line ends stay. At most 256 KiB (else 413)."""

    multiline = True

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if (size := len(text.encode())) > MAX_CONFIG_BYTES:
            raise PayloadTooLarge(f"The configuration has {size} bytes; at most {MAX_CONFIG_BYTES} are kept.")
        return text


class ConfigChecksumSerializer(serializers.Serializer[Any]):
    checksum = serializers.CharField(help_text="SHA-256 of the exact bytes, in hex.")


class PushedConfigSerializer(ConfigChecksumSerializer):
    updated_at = Timestamp()


class ConfigSerializer(PushedConfigSerializer):
    config_yaml = serializers.CharField()


class NewConfigSerializer(serializers.Serializer[Any]):
    config_yaml = ConfigYaml(allow_blank=True)
    checksum = Text(validators=[IS_SHA256], help_text="SHA-256 of the exact bytes, in hex.")


class PushConfigSerializer(NewConfigSerializer):
    wanted_checksum = Text(
        validators=[IS_SHA256],
        required=False,
        allow_null=True,
        help_text="Of the wanted configuration that the agent made this one of.",
    )


class WantedConfigSerializer(serializers.Serializer[WantedConfig]):
    config_yaml = serializers.CharField()
    checksum = serializers.CharField(source="config_checksum", help_text="SHA-256 of the exact bytes, in hex.")
    updated_at = Timestamp(help_text="When it was last asked for.")
    state = Choice(choices=WantedConfigState.choices)
    settled_at = Timestamp(allow_null=True, help_text="When the agent took or refused it.")
    refusal = serializers.CharField(allow_null=True, help_text="Why the agent refused it.")


class WithdrawnSerializer(serializers.Serializer[Any]):
    watcher_id = Uuid()
    already_applied = serializers.BooleanField()
