"""Wire fields: how each kind of value is written and read. Rules: docs/interface.md, Conventions."""

import re
import uuid
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django.utils.timezone import get_current_timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from wire.clock import format_timestamp, truncate_to_milliseconds
from wire.input_gate import CONTROL_CHARACTERS, refuse_oversized_json, text_fault
from wire.names import NAME_PATTERN, is_blank, name_fault

KIB = 1024
MAX_METADATA_BYTES = 256 * KIB
MAX_BIGINT = 2**63 - 1
SIGNED_INTEGER = re.compile(r"-?[0-9]{1,20}", re.ASCII)
CANONICAL_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
PLAIN_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
ISO_DATE_TIME = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ](?P<clock>[0-9]{2}:[0-9]{2}(:[0-9]{2})?)([.,](?P<fraction>[0-9]{1,12}))?"
    r"(?P<zone>[Zz]|[+-][0-9]{2}:?[0-9]{2})"
)
LAST_MOMENT_OF_DAY = time(23, 59, 59, 999_000)


class Text(serializers.CharField):
    """A one-line text, kept exactly as sent. Numbers are refused.

    `pattern` tells the OpenAPI document what a function judges elsewhere.
    """

    multiline = False

    def __init__(self, *, pattern: str = "", **kwargs: Any) -> None:
        self.pattern = pattern
        kwargs.setdefault("trim_whitespace", False)
        super().__init__(**kwargs)

    def run_validation(self, data: Any = empty) -> Any:
        if data is not empty and data is not None and not isinstance(data, str):
            raise serializers.ValidationError("Text is needed.")
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        if fault := text_fault(data, multiline=self.multiline):
            raise serializers.ValidationError(fault)
        return data


class Name(Text):
    """What something is called: more than blanks, and read in the order in which it is written."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(pattern=NAME_PATTERN, **kwargs)

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if fault := name_fault(name):
            raise serializers.ValidationError(fault)
        return name


class LongText(Text):
    """A text of several lines: tab and LF stay, CRLF and CR become LF."""

    multiline = True

    def to_internal_value(self, data: Any) -> str:
        return normalize_newlines(super().to_internal_value(data))


class StrictInteger(serializers.IntegerField):
    """A whole number in a JSON body: not `true`, not 1.0, not "5"."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("max_value", MAX_BIGINT)
        super().__init__(**kwargs)

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, bool) or not isinstance(data, int):
            raise serializers.ValidationError("A whole number is needed.")
        return data


class QueryInteger(StrictInteger):
    """A whole number in a query string: ASCII digits, no sign but minus, no spaces."""

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, str) or not SIGNED_INTEGER.fullmatch(data):
            raise serializers.ValidationError("A whole number is needed.")
        return int(data)


class StrictBoolean(serializers.BooleanField):
    """true or false in a JSON body."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            raise serializers.ValidationError("true or false is needed.")
        return data


class QueryBoolean(serializers.BooleanField):
    """`true` or `false` in a query string."""

    def to_internal_value(self, data: Any) -> bool:
        if data not in ("true", "false"):
            raise serializers.ValidationError("true or false is needed.")
        return data == "true"


class Choice(serializers.ChoiceField):
    """One of a list of texts; anything else, numbers and lists included, is refused by name."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str) or data not in self.choices:
            raise serializers.ValidationError(f"One of {', '.join(map(str, self.choices))} is needed.")
        return data


class BoundedList(serializers.ListField):
    """Counted before its members are read, each of which may be at fault."""

    def run_child_validation(self, data: Any) -> list[Any]:
        self.run_validators(data)
        members: list[Any] = super().run_child_validation(data)
        return members


@extend_schema_field(OpenApiTypes.DATETIME)
class Timestamp(serializers.Field[datetime, Any, str | None, Any]):
    """In: a date-time with `Z` or an offset, cut to milliseconds. Out: UTC with milliseconds and `Z`."""

    def to_internal_value(self, data: Any) -> datetime:
        return parse_timestamp(data)

    def to_representation(self, value: datetime) -> str | None:
        return format_timestamp(value)


@extend_schema_field({"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]})
class QueryDateTime(serializers.Field[datetime, Any, str | None, Any]):
    """A date-time, or a day in the current time zone: its start, or with `end=True` its last millisecond."""

    def __init__(self, *, end: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.end = end

    def to_internal_value(self, data: Any) -> datetime:
        if isinstance(data, str) and PLAIN_DATE.fullmatch(data):
            return parse_day_boundary(data, end=self.end)
        if not isinstance(data, str) or not ISO_DATE_TIME.fullmatch(data):
            raise serializers.ValidationError(
                "A day such as 2026-01-31, or a date-time with Z or an offset, is needed."
            )
        return parse_timestamp(data)

    def to_representation(self, value: datetime) -> str | None:
        return format_timestamp(value)


@extend_schema_field(OpenApiTypes.UUID)
class Uuid(serializers.Field[uuid.UUID, Any, str, Any]):
    """A UUID in its canonical 36 characters."""

    def to_internal_value(self, data: Any) -> uuid.UUID:
        if not isinstance(data, str) or not CANONICAL_UUID.fullmatch(data):
            raise serializers.ValidationError("A UUID is needed.")
        return uuid.UUID(data)

    def to_representation(self, value: uuid.UUID) -> str:
        return str(value)


@extend_schema_field({"type": "object", "additionalProperties": True})
class Metadata(serializers.Field[dict[str, Any], Any, dict[str, Any], Any]):
    """A free-form object of at most 256 KiB (else 413). Its texts may hold tab and LF."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("An object is needed.")
        refuse_oversized_json(data, limit=MAX_METADATA_BYTES, name=self.field_name or "metadata")
        if fault := _find_nested_fault(data):
            raise serializers.ValidationError(fault)
        return data

    def to_representation(self, value: dict[str, Any]) -> dict[str, Any]:
        return value


@extend_schema_field({"type": "object", "additionalProperties": True})
class Details(Metadata):
    """A free-form object whose texts are long ones: CRLF and CR become LF."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        return super().to_internal_value(_normalize_nested_newlines(data))


def refuse_blanks(text: str) -> None:
    """A validator."""
    if is_blank(text):
        raise serializers.ValidationError("More than blanks is needed.")


def parse_timestamp(data: Any) -> datetime:
    """An aware date-time, cut to milliseconds, within what the database and UTC can hold."""
    match = ISO_DATE_TIME.fullmatch(data) if isinstance(data, str) else None
    if match is None:
        raise serializers.ValidationError("A date-time with Z or an offset is needed, such as 2026-01-31T09:30:00Z.")
    fraction = (match["fraction"] or "")[:3].ljust(3, "0")
    zone = "+00:00" if match["zone"] in "Zz" else match["zone"]
    try:
        moment = datetime.fromisoformat(f"{match['day']}T{match['clock']}{zone}") + timedelta(
            milliseconds=int(fraction)
        )
        return truncate_to_milliseconds(moment.astimezone(UTC))
    except (ValueError, OverflowError):
        raise serializers.ValidationError("This date-time does not exist.") from None


def is_day(text: str) -> bool:
    """Whether this is a day of the calendar, written as 2026-01-31."""
    try:
        return bool(PLAIN_DATE.fullmatch(text) and date.fromisoformat(text))
    except ValueError:
        return False


def parse_day_boundary(day: str, *, end: bool) -> datetime:
    """The first or last millisecond of a day: of the service's time zone over REST, of who looks on pages."""
    try:
        moment = datetime.combine(
            date.fromisoformat(day), LAST_MOMENT_OF_DAY if end else time.min, tzinfo=get_current_timezone()
        )
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise serializers.ValidationError("This date does not exist.") from None


def normalize_newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _find_nested_fault(value: Any) -> str | None:
    if isinstance(value, str):
        return (
            "Carriage returns and control characters are not allowed."
            if CONTROL_CHARACTERS.search(value.replace("\t", "").replace("\n", ""))
            else None
        )
    if isinstance(value, Mapping):
        faulty_key = any(CONTROL_CHARACTERS.search(key) for key in value)
        return (
            "Keys hold no control characters."
            if faulty_key
            else next(filter(None, map(_find_nested_fault, value.values())), None)
        )
    if isinstance(value, list):
        return next(filter(None, map(_find_nested_fault, value)), None)
    return None


def _normalize_nested_newlines(value: Any) -> Any:
    if isinstance(value, str):
        return normalize_newlines(value)
    if isinstance(value, Mapping):
        return {key: _normalize_nested_newlines(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_normalize_nested_newlines(item) for item in value]
    return value
