"""Traces by OpenTelemetry, where OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_TRACES_EXPORTER asks for them.

A trace begins with a request and nothing else: what the scheduler has run every few seconds would drown it. The contrib
instrumentations look at requests, tasks, Redis, the object store and calls of other services; statements of the
database are spans of our own, made without their values.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.db.backends.signals import connection_created
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from opentelemetry.instrumentation.botocore import BotocoreInstrumentor
from opentelemetry.instrumentation.celery import CeleryInstrumentor
from opentelemetry.instrumentation.django import DjangoInstrumentor
from opentelemetry.instrumentation.redis import RedisInstrumentor
from opentelemetry.instrumentation.requests import RequestsInstrumentor
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from web.telemetry.logs import mask_secrets
from wire.asgi import ASGIApp
from wire.audit_context import without_comment
from wire.telemetry.tracing import switch_on

UNTRACED_URLS = "/livez$,/readyz$,/metrics$"
# Addresses of requests may hold secrets (first links), those of callers are nobody's business.
HIDDEN = re.compile(r"(http\.(url|target|client_ip)|url\.(full|path|query)|(net\.peer|client)\.\w+|enduser\..*)")
MAX_STATEMENT_CHARS = 2_000
PROPAGATOR = TraceContextTextMapPropagator()


class RequestsFirst(Sampler):
    """Only requests begin a trace; which of them are kept, OTEL_TRACES_SAMPLER decides."""

    def __init__(self, sampler: Sampler) -> None:
        self.sampler = sampler

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        *rest: Any,
        **more: Any,
    ) -> SamplingResult:
        parent = trace.get_current_span(parent_context).get_span_context()
        if not parent.is_valid and kind != SpanKind.SERVER:
            return SamplingResult(Decision.DROP)
        return self.sampler.should_sample(parent_context, trace_id, name, kind, *rest, **more)

    def get_description(self) -> str:
        return f"RequestsFirst({self.sampler.get_description()})"


class DiscreetExporter(SpanExporter):
    """Hands on spans without addresses, callers and whatever looks like a secret."""

    def __init__(self, exporter: SpanExporter) -> None:
        self.exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self.exporter.export([without_secrets(span) for span in spans])

    def shutdown(self) -> None:
        self.exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self.exporter.force_flush(timeout_millis)


class OpenTelemetry:
    """wire.telemetry.tracing.Tracing, by OpenTelemetry."""

    def __init__(self, tracer: trace.Tracer) -> None:
        self.tracer = tracer

    def annotate(self, attributes: Mapping[str, str | int]) -> None:
        trace.get_current_span().set_attributes(dict(attributes))

    def current_traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        if trace.get_current_span().get_span_context().trace_flags.sampled:
            PROPAGATOR.inject(carrier)
        return carrier.get("traceparent")

    def begin_span(self, name: str, *, traceparent: str, attributes: Mapping[str, str | int]) -> Iterator[None]:
        """Below the task that does it, where that is of the same trace; else the two are linked."""
        context = PROPAGATOR.extract({"traceparent": traceparent})
        asked, task = (trace.get_current_span(one).get_span_context() for one in (context, None))
        is_same = task.is_valid and task.trace_id == asked.trace_id
        with self.tracer.start_as_current_span(
            name,
            context=None if is_same else context,
            kind=SpanKind.CONSUMER,
            attributes=dict(attributes),
            links=[Link(task)] if task.is_valid and not is_same else [],
        ):
            yield

    def trace_statement(
        self, execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        """An execute wrapper of Django's. A statement outside of any trace is no span."""
        text = without_comment(sql)[:MAX_STATEMENT_CHARS] if isinstance(sql, str) else type(sql).__name__
        attributes = {"db.system.name": "postgresql", "db.query.text": text}
        name = text.lstrip().partition(" ")[0].upper()[:20]
        with self.tracer.start_as_current_span(name, kind=SpanKind.CLIENT, attributes=attributes):
            return execute(sql, params, many, context)

    def watch_connection(self, connection: Any, **_: Any) -> None:
        if self.trace_statement not in connection.execute_wrappers:
            connection.execute_wrappers.insert(0, self.trace_statement)


def start_tracing(role: str, exporter: SpanExporter) -> TracerProvider:
    """From now on, in this process. Call it before Django builds its middleware, and once."""
    name = os.environ.get("OTEL_SERVICE_NAME") or f"ids-{role}"
    provider = TracerProvider(resource=Resource.create({SERVICE_NAME: name, SERVICE_VERSION: settings.VERSION}))
    provider.sampler = RequestsFirst(provider.sampler)
    provider.add_span_processor(BatchSpanProcessor(DiscreetExporter(exporter)))
    trace.set_tracer_provider(provider)
    DjangoInstrumentor().instrument(excluded_urls=UNTRACED_URLS)
    for instrumentor in (CeleryInstrumentor, RedisInstrumentor, BotocoreInstrumentor, RequestsInstrumentor):
        instrumentor().instrument()
    tracing = OpenTelemetry(trace.get_tracer("ids"))
    connection_created.connect(tracing.watch_connection, weak=False)
    switch_on(tracing)
    return provider


def trace_requests(application: ASGIApp) -> ASGIApp:
    """Also those that Django never sees: of AI clients, and for stored objects."""
    traced: Any = OpenTelemetryMiddleware(
        application,
        excluded_urls=UNTRACED_URLS,
        default_span_details=lambda scope: (str(scope.get("method", "")), {}),
        exclude_spans=["receive", "send"],
    )
    return traced


def without_secrets(span: ReadableSpan) -> ReadableSpan:
    """The same span, with what may be told."""
    return ReadableSpan(
        name=span.name,
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=_tell(span.attributes or {}),
        events=[type(event)(event.name, _tell(event.attributes or {}), event.timestamp) for event in span.events],
        links=span.links,
        kind=span.kind,
        status=type(span.status)(span.status.status_code, _mask(span.status.description)),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _tell(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _mask(value) for name, value in attributes.items() if not HIDDEN.fullmatch(name)}


def _mask(value: Any) -> Any:
    return mask_secrets(None, "", value) if isinstance(value, str) else value
