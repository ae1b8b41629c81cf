"""Structured logs: one JSON object a line, with the request's id in each."""

import logging.config
from typing import Any

import structlog

SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


def logging_config(*, level: str, as_json: bool) -> None:
    renderer = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": SHARED,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    }
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"line": formatter},
            "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
            "root": {"handlers": ["stderr"], "level": level},
            "loggers": {
                "django.request": {"level": "CRITICAL"},
                "django.security.csrf": {"level": "CRITICAL"},
                "botocore": {"level": "WARNING"},
                "mcp": {"level": "WARNING"},  # each call has a line of ours
            },
        }
    )
