"""Which request asked for a job: its id is in the log's lines of the work, and its trace goes on there.

A task wakes a worker, which does the job that has waited longest; so the job's row says who asked, not the task.
Rows can that have the columns `request_id` and `traceparent`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from structlog.contextvars import bound_contextvars

from wire.audit_context import current_request_id
from wire.telemetry.tracing import continued_trace, current_traceparent


def current_origin() -> dict[str, str | None]:
    """Values of the two columns, of the request at hand."""
    return {"request_id": current_request_id(), "traceparent": current_traceparent()}


@contextmanager
def working_for(job: Any, name: str, **attributes: str | int) -> Iterator[None]:
    """Work on a job, as a span called `name` where its request was traced."""
    known = {"request_id": job.request_id} if job.request_id else {}
    marked = {f"ids.{key}": value for key, value in (known | attributes).items()}
    with bound_contextvars(**known), continued_trace(name, traceparent=job.traceparent, **marked):
        yield
