"""What a process tells of itself from its start on: figures always, traces and crashes where a setting asks for them.

The packages for the latter are in requirements-tracing.lock and are read here only, and only then.
"""

from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from wire.asgi import ASGIApp

OTLP_EXPORTER = "opentelemetry.exporter.otlp.proto.http.trace_exporter"
NO_TRACES = {"", "none"}


def start_telemetry(role: str) -> None:
    """Raises ImproperlyConfigured where a setting asks for what is not installed, or for an unknown exporter."""
    if settings.SENTRY_DSN:
        _import("web.telemetry.crash_reports", "SENTRY_DSN").start_crash_reports(role, dsn=settings.SENTRY_DSN)
    if is_tracing_wanted():
        exporter = _make_exporter(settings.OTEL_TRACES_EXPORTER or "otlp")
        _import("web.telemetry.tracing", "OTEL_EXPORTER_OTLP_ENDPOINT").start_tracing(role, exporter)


def trace_requests(application: ASGIApp) -> ASGIApp:
    """The application, with a span around each request where traces are wanted."""
    if not is_tracing_wanted():
        return application
    traced: ASGIApp = import_module("web.telemetry.tracing").trace_requests(application)
    return traced


def is_tracing_wanted() -> bool:
    asked = settings.OTEL_TRACES_EXPORTER or settings.OTEL_EXPORTER_OTLP_ENDPOINT or ""
    return asked not in NO_TRACES and not settings.OTEL_SDK_DISABLED


def _make_exporter(name: str) -> Any:
    """`otlp`, by http, or `console`."""
    if name == "otlp":
        return _import(OTLP_EXPORTER, "OTEL_EXPORTER_OTLP_ENDPOINT").OTLPSpanExporter()
    if name == "console":
        return _import("opentelemetry.sdk.trace.export", "OTEL_TRACES_EXPORTER").ConsoleSpanExporter()
    raise ImproperlyConfigured(f"OTEL_TRACES_EXPORTER is {name!r}; otlp, console and none are possible.")


def _import(module: str, setting: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        raise ImproperlyConfigured(
            f"{setting} needs packages that are not installed ({missing.name}): "
            "pip install --no-deps --require-hashes -r requirements-tracing.lock"
        ) from None
