"""Wire shapes of enrolment codes, and of what a computer gets for one."""

from datetime import timedelta
from typing import Any

from rest_framework import serializers

from instruments.serializers import IS_SLUG
from watchers.enrolment_codes import MAX_CODES, MAX_LIFETIME, NewInstrument
from wire.fields import (
    Name,
    StrictInteger,
    Text,
    Timestamp,
    Uuid,
)


class InstrumentToComeSerializer(serializers.Serializer[Any]):
    id = Text(validators=[IS_SLUG], required=False, allow_null=True)
    display_name = Name(max_length=255, required=False, allow_null=True)
    instrument_type = Text(max_length=64, required=False, allow_null=True)


class NewEnrolmentCodesSerializer(serializers.Serializer[Any]):
    instrument_id = Text(max_length=64, required=False, allow_null=True)
    new_instrument = InstrumentToComeSerializer(required=False, allow_null=True)
    count = StrictInteger(min_value=1, max_value=MAX_CODES, required=False)
    expires_in = StrictInteger(min_value=1, max_value=int(MAX_LIFETIME.total_seconds()), required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if (new := attrs.get("new_instrument")) is not None:
            attrs["new_instrument"] = NewInstrument(**new)
        if "expires_in" in attrs:
            attrs["lifetime"] = timedelta(seconds=attrs.pop("expires_in"))
        return attrs


class EnrolmentCodeSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    instrument_id = serializers.CharField(allow_null=True)
    expires_at = Timestamp()


class NewEnrolmentSerializer(serializers.Serializer[Any]):
    code = Text(max_length=64, help_text="As it was shown; case, hyphens and spaces do not matter.")
    hostname = Text(max_length=255)
    os_info = Text(max_length=255, required=False, allow_null=True)
    agent_version = Text(max_length=64, required=False, allow_null=True)
    instance_id = Uuid(help_text="Made once by each installation of the agent.")


class EnrolmentSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(help_text="Told this once.")
    instrument_id = serializers.CharField()
    watcher_id = Uuid()
    public_url = serializers.CharField(help_text="The service's address.")
    release_public_key = serializers.CharField(
        allow_null=True, help_text="Ed25519, base64; null: releases are not signed."
    )
