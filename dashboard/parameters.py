"""What the addresses and forms of pages name: the rows that were selected, the page of a list."""

from collections.abc import Sequence
from uuid import UUID

from django.http import QueryDict

from wire.errors import ValidationError
from wire.lists.pagination import Window

MAX_SELECTED = 100  # as many as a page can show


def read_ids(texts: Sequence[str], *, of: str) -> list[UUID]:
    """The ids of selected rows, the first hundred. Raises ValidationError that says what they should be of."""
    try:
        return [UUID(text) for text in texts[:MAX_SELECTED]]
    except ValueError:
        raise ValidationError(f"These are not {of}.") from None


def read_window(query: QueryDict, *, per_page: int) -> Window:
    """The page of a list that is asked for; the first where the address names none."""
    asked = query.get("page", "")
    is_number = asked.isascii() and asked.isdigit() and len(asked) <= 6
    return Window(page=max(1, int(asked)) if is_number else 1, per_page=per_page)
