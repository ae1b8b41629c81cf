"""From a body or a query string to checked values, or one ValidationError that names every bad field."""

from collections.abc import Mapping
from copy import copy
from functools import cache
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from wire.errors import ValidationError
from wire.input_gate import text_fault

SerializerClass = type[serializers.Serializer[Any]]


def read_body(serializer: SerializerClass, body: Any) -> dict[str, Any]:
    """The checked members of a JSON body; members it does not know are ignored."""
    return _validate(serializer, body)


def read_change(change: SerializerClass, body: Any, *, record: SerializerClass) -> dict[str, Any]:
    """The members of a PATCH body; 400 where it names no field of the record at all (docs/interface.md, Conventions).

    Fields of the record that only the server sets are known and ignored.
    """
    known = {*change._declared_fields, *record._declared_fields}
    if isinstance(body, Mapping) and known.isdisjoint(body):
        raise ValidationError("The body names no field that can be changed.")
    return read_body(change, body)


def read_query(serializer: SerializerClass, query: Mapping[str, Any]) -> dict[str, Any]:
    """The checked parameters of a query string. Empty is a value; the last of a repeated one counts; lists take all."""
    given = {
        name: _read_parameter(query, name, many=isinstance(field, serializers.ListField))
        for name, field in serializer._declared_fields.items()
        if name in query
    }
    refuse_bad_text(given)
    return _validate(serializer, given)


def refuse_bad_text(given: Mapping[str, Any]) -> None:
    faults = {name: [fault] for name, value in given.items() if (fault := _find_text_fault(value))}
    if faults:
        raise ValidationError(fields=faults)


def flatten_errors(detail: Any, path: str = "") -> dict[str, list[str]]:
    """DRF's nested error detail as {"events.3.message": ["…"]}."""
    if isinstance(detail, Mapping):
        pairs = [(_join_path(path, name), inner) for name, inner in detail.items()]
    elif isinstance(detail, list) and any(isinstance(item, Mapping) for item in detail):
        pairs = [(_join_path(path, str(index)), item) for index, item in enumerate(detail)]
    else:
        return {path or "body": [str(text) for text in (detail if isinstance(detail, list) else [detail])]}
    return {name: texts for inner_path, inner in pairs for name, texts in flatten_errors(inner, inner_path).items()}


def _validate(serializer: SerializerClass, data: Any) -> dict[str, Any]:
    form = copy(cached_serializer(serializer))
    form.initial_data = data
    if not form.is_valid():
        raise ValidationError(fields=flatten_errors(form.errors))
    return dict(form.validated_data)


@cache
def cached_serializer(serializer: SerializerClass) -> serializers.Serializer[Any]:
    """With the fields that all forms of the kind share: checking changes none, and copying them costs most of it."""
    form = serializer()
    _ = form.fields  # made at the first look, and kept
    return form


def _read_parameter(query: Mapping[str, Any], name: str, *, many: bool) -> Any:
    if not isinstance(query, QueryDict):
        return query[name]
    return query.getlist(name) if many else query[name]


def _find_text_fault(value: Any) -> str | None:
    texts = value if isinstance(value, list) else [value]
    return next(
        (fault for text in texts if isinstance(text, str) and (fault := text_fault(text, multiline=True))), None
    )


def _join_path(path: str, name: str) -> str:
    if name == "non_field_errors":
        return path or "body"
    return f"{path}.{name}" if path else str(name)
