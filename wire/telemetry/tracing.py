"""Where the service takes part in traces (docs/metrics.md). Before web/telemetry/tracing.py begins, nothing happens."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol


class Tracing(Protocol):
    """What OpenTelemetry does for us."""

    def annotate(self, attributes: Mapping[str, str | int]) -> None:
        """Write this beside the span at hand."""

    def current_traceparent(self) -> str | None:
        """The span at hand as W3C's `traceparent`; None outside of any that is recorded."""

    def begin_span(self, name: str, *, traceparent: str, attributes: Mapping[str, str | int]) -> "Iterator[None]":
        """A generator around one span, of the trace that this header names."""


class _Switch:
    tracing: Tracing | None = None


def switch_on(tracing: Tracing | None) -> None:
    """None ends it."""
    _Switch.tracing = tracing


def annotate(**attributes: str | int) -> None:
    if _Switch.tracing is not None:
        _Switch.tracing.annotate(attributes)


def current_traceparent() -> str | None:
    """What a job keeps of the request that asked for it (at most 55 characters)."""
    return _Switch.tracing.current_traceparent() if _Switch.tracing is not None else None


@contextmanager
def continued_trace(name: str, *, traceparent: str | None, **attributes: str | int) -> Iterator[None]:
    """Work on a job, as a span of the trace of the request that asked for it, whichever task began it."""
    if _Switch.tracing is None or traceparent is None:
        yield
        return
    yield from _Switch.tracing.begin_span(name, traceparent=traceparent, attributes=attributes)
