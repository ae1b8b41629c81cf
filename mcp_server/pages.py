"""Pages of rows for an assistant: whole rows, as many as an answer holds, and the cursor that goes on behind them."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from mcp_server.results import ABRIDGED_BYTES, count_json_bytes
from wire.lists.pagination import Page, describe_pagination

PAGINATION_BYTES = 1_000  # beside the rows; a cursor has some 200
Row = TypeVar("Row")


def present_rows(page: Page[Row], present: Callable[[Row], dict[str, Any]]) -> dict[str, Any]:
    """The body of a list, `pagination.next_cursor` telling where it goes on: null at the end.

    A row that alone is too long comes alone, for build_result to cut.
    """
    rows = [present(row) for row in page.rows]
    fitting = count_fitting(rows)
    told = describe_pagination(page) | {"next_cursor": page.cursor_behind(fitting)}
    return {"data": rows[:fitting], "pagination": told}


def count_fitting(rows: Sequence[dict[str, Any]]) -> int:
    """How many of the first rows an answer holds beside its pagination; at least one, where there is any."""
    room = ABRIDGED_BYTES - PAGINATION_BYTES
    for number, row in enumerate(rows):
        room -= count_json_bytes(row) + 1
        if room < 0:
            return max(1, number)
    return len(rows)
