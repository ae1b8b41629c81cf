"""How long the object store takes to answer, and how often it does not: `ids_storage_calls_total` and its times.

Operations are named as S3 names them, for both stores.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from files.storage.interface import StoreUnavailable
from wire.errors import ServiceError
from wire.telemetry.metrics import count_store_call

STARTED = "ids_started"
SERVER_ERROR = 500


@contextmanager
def measured(operation: str) -> Iterator[None]:
    """Around one call, or as its decorator."""
    started, result = time.perf_counter(), "error"
    try:
        yield
        result = "ok"
    except StoreUnavailable:
        raise
    except ServiceError:
        result = "refused"
        raise
    finally:
        count_store_call(operation, result=result, seconds=time.perf_counter() - started)


def measure_client(client: Any) -> None:
    """Every call that this client of botocore sends. Signing sends none."""
    events = client.meta.events
    events.register("before-call.s3", _note_start)
    events.register("after-call.s3", _count_answer)
    events.register("after-call-error.s3", _count_failure)


def _note_start(*, context: dict[str, Any], **_: Any) -> None:
    context[STARTED] = time.perf_counter()


def _count_answer(*, http_response: Any, model: Any, context: dict[str, Any], **_: Any) -> None:
    status = http_response.status_code
    result = "ok" if status < 400 else "refused" if status < SERVER_ERROR else "error"
    count_store_call(model.name, result=result, seconds=time.perf_counter() - context[STARTED])


def _count_failure(*, context: dict[str, Any], event_name: str, **_: Any) -> None:
    """No answer came: refused connections, time-outs."""
    operation = event_name.rpartition(".")[2]
    count_store_call(operation, result="error", seconds=time.perf_counter() - context[STARTED])
