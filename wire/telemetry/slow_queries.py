"""Statements that take longer than SLOW_QUERY_MS: a line in the log with their route, and a count. Without values."""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings

from wire.audit_context import without_comment
from wire.telemetry.current_work import current_route
from wire.telemetry.metrics import count_slow_query

log = logging.getLogger("ids.slow_queries")
MAX_TEXT_CHARS = 2_000


def watch_connection(connection: Any, **_: Any) -> None:
    if note_slow_query not in connection.execute_wrappers:
        connection.execute_wrappers.insert(0, note_slow_query)


def note_slow_query(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]) -> Any:
    """An execute wrapper of Django's. `sql` has placeholders; what stands for them is not told."""
    started = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        seconds = time.perf_counter() - started
        if seconds * 1000 > settings.SLOW_QUERY_MS:
            tell_slow_query(sql, seconds=seconds)


def tell_slow_query(sql: Any, *, seconds: float) -> None:
    route = current_route()
    text = (
        without_comment(sql) if isinstance(sql, str) else type(sql).__name__
    )  # what psycopg composed holds names and values alike
    line = {"route": route, "ms": round(seconds * 1000, 1), "sql": text[:MAX_TEXT_CHARS]}
    log.warning("slow query", extra=line)
    count_slow_query(route=route)
