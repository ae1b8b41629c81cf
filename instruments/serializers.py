"""Wire shapes of instruments."""

from typing import Any

from django.core.validators import RegexValidator
from rest_framework import serializers

from instruments.models import MAX_EXPECTED_HOURS, Instrument, InstrumentStatus, Visibility
from wire.fields import Choice, Name, StrictInteger, Text, Timestamp, Uuid
from wire.lists.pagination import PageParams

EXPECTED_HELP = "People are told when its watcher finds nothing new for so long; null: never."
IS_SLUG = RegexValidator(r"^[a-z0-9-]{1,64}\Z", "1 to 64 of a-z, 0-9 and hyphens are needed.")


class InstrumentSerializer(serializers.Serializer[Instrument]):
    id = serializers.CharField()
    display_name = serializers.CharField()
    status = Choice(choices=InstrumentStatus.choices)
    instrument_type = serializers.CharField()
    time_zone = serializers.CharField()
    expect_files_every_hours = serializers.IntegerField(allow_null=True, help_text=EXPECTED_HELP)
    visibility = Choice(choices=Visibility.choices)
    file_patterns = serializers.ListField(child=serializers.CharField())
    created_at = Timestamp()
    updated_at = Timestamp()


class InstrumentDetailSerializer(InstrumentSerializer):
    run_count = serializers.IntegerField(help_text="Active runs.")
    watcher_count = serializers.IntegerField(help_text="Active watchers: none or one.")


class NewInstrumentSerializer(serializers.Serializer[Any]):
    id = Text(validators=[IS_SLUG], help_text="A permanent slug: 1 to 64 of a-z, 0-9 and hyphens.")
    display_name = Name(max_length=255, required=False)
    instrument_type = Text(max_length=64, required=False)
    time_zone = Text(max_length=64, required=False, help_text="An IANA name; the service's own when absent.")


class NewByHandSerializer(NewInstrumentSerializer):
    """What the form of a new instrument says: its name is what counts."""

    id = Text(validators=[IS_SLUG], required=False)
    display_name = Name(max_length=255)
    group_ids = serializers.ListField(child=Uuid(), required=False, max_length=200)


class InstrumentChangeSerializer(serializers.Serializer[Any]):
    display_name = Name(max_length=255, required=False)
    status = Choice(choices=InstrumentStatus.choices, required=False)
    instrument_type = Text(max_length=64, required=False)
    time_zone = Text(max_length=64, required=False)
    visibility = Choice(choices=Visibility.choices, required=False)
    expect_files_every_hours = StrictInteger(
        min_value=1, max_value=MAX_EXPECTED_HOURS, required=False, allow_null=True, help_text=EXPECTED_HELP
    )


class InstrumentListParams(PageParams):
    status = Choice(choices=InstrumentStatus.choices, required=False)
