"""Many small requests in one round trip, each answered as its own route would answer it."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from wire.error_responses import as_service_error
from wire.errors import build_envelope
from wire.telemetry.metrics import count_refusal

Item = TypeVar("Item")


@extend_schema_field(OpenApiTypes.OBJECT)
class Body(serializers.JSONField):
    """Of another answer."""


class ResultSerializer(serializers.Serializer[Any]):
    status = serializers.IntegerField()
    body = Body(help_text="What the single route would have answered, an error in its envelope.")


class ResultsSerializer(serializers.Serializer[Any]):
    results = ResultSerializer(many=True, help_text="In the order asked.")


class Entry(serializers.JSONField):
    """One of a batch, null too: it is read for itself, so that it is refused for itself."""

    def run_validation(self, data: Any = empty) -> Any:
        return data


def try_to_read(read: Callable[[Any], Item], body: Any) -> Item | Exception:
    """One of a batch, or why it is refused: what `answer_each` then answers."""
    try:
        return read(body)
    except Exception as refused:
        return refused


def answer_each(items: Iterable[Item | Exception], answer: Callable[[Item], dict[str, Any]]) -> dict[str, Any]:
    """The results of all items; one that is refused, before or now, refuses no other."""
    return {"results": [_answer_one(item, answer) for item in items]}


def _answer_one(item: Item | Exception, answer: Callable[[Item], dict[str, Any]]) -> dict[str, Any]:
    try:
        if isinstance(item, Exception):
            raise item
        return {"status": 200, "body": answer(item)}
    except Exception as refused:
        error = as_service_error(refused)
        count_refusal(error)
        return {"status": error.status, "body": build_envelope(error)}
