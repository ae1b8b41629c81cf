"""From what the service knows to a body, as its serializer says."""

from collections.abc import Callable
from typing import Any

from wire.inputs import Form, blank


def represent(serializer: Form, value: Any) -> dict[str, Any]:
    """The members of one record, by a serializer that needs no context."""
    return blank(serializer).to_representation(value)


def presenter(serializer: Form) -> Callable[[Any], dict[str, Any]]:
    """`represent` for the rows of a page."""
    return blank(serializer).to_representation
