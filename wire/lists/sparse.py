"""`fields=a,b` on a list: each row has these members and no others."""

from collections.abc import Callable, Mapping
from typing import Any

from wire.errors import ValidationError
from wire.fields import Text
from wire.inputs import SerializerClass, read_query
from wire.lists.pagination import PageParams

FIELDS_PATTERN = r"^[a-z0-9_]+(,[a-z0-9_]+)*$"
FIELDS_HELP = "The members that each row shall have, such as `id,run_id`; the rest is left out."
Present = Callable[[Any], dict[str, Any]]


class SparsePageParams(PageParams):
    """Query parameters of a page-indexed list whose rows can be cut."""

    fields = Text(  # type: ignore[assignment]  # a parameter, not DRF's member of this name
        max_length=2_000, pattern=FIELDS_PATTERN, required=False, help_text=FIELDS_HELP
    )


def select_fields(present: Present, query: Mapping[str, Any], *, row: SerializerClass) -> Present:
    """`present`, cut to the members that the query asks for. Raises ValidationError, which names the known ones."""
    asked = read_query(SparsePageParams, query).get("fields")
    if asked is None:
        return present
    wanted, known = frozenset(asked.split(",")), row._declared_fields
    if unknown := sorted(wanted - known.keys()):
        text = f"There is no field {unknown[0]!r}; there are {', '.join(known)}."
        raise ValidationError(fields={"fields": [text]})
    return lambda record: {name: value for name, value in present(record).items() if name in wanted}
