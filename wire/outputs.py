"""From what the service knows to a body, as its serializer says."""

from collections.abc import Callable
from typing import Any

from wire.inputs import SerializerClass, cached_serializer


def represent(serializer: SerializerClass, value: Any) -> dict[str, Any]:
    """The members of one record, by a serializer that needs no context."""
    return cached_serializer(serializer).to_representation(value)


def make_presenter(serializer: SerializerClass) -> Callable[[Any], dict[str, Any]]:
    """`represent` for the rows of a page."""
    return cached_serializer(serializer).to_representation
