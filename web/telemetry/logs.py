"""Structured logs: one JSON object a line, with the request's id in each, and no secret in any."""

import logging.config
import re
from typing import Any

import structlog

NOISY_LOGGERS = (
    "httpx",
    "httpx2",
    "httpcore",
    "oauthlib",
    "oauth2_provider",
    "requests_oauthlib",
    "slack_sdk",
    "urllib3",
)
# Three lines for each task, and the scheduler has one run each second: jobs/task_log.py says what counts.
LOUD_CELERY_LOGGERS = ("celery.beat", "celery.worker.strategy", "celery.app.trace")


def drop_colours(logger: Any, name: str, event: Any) -> Any:
    """uvicorn says some lines twice, once for terminals."""
    event.pop("color_message", None)
    return event


SHARED_PROCESSORS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.ExtraAdder(),
    drop_colours,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
]


# What nobody writes on purpose, but the text of a crash in somebody else's library may hold.
SECRET_PATTERN = re.compile(
    r"\bids_\w{20,}|(?<=[Bb]earer )[\w.~+/=-]{8,}|(?<=[?&]signature=)[\w%-]+|(?<=X-Amz-Signature=)\w+"
    r"|\bxox[a-z]-[\w-]+|\bgh[a-z]_\w+|\bgithub_pat_\w+|(?<=sessionid=)\w+",
    re.ASCII,
)
SECRET_SIGNS = ("ids_", "earer ", "ignature=", "xox", "gh", "github_pat_", "sessionid=")  # one in each: found sooner


def mask_secrets(logger: Any, name: str, line: str) -> str:
    """The line without what looks like a secret."""
    return SECRET_PATTERN.sub("[secret]", line) if any(sign in line for sign in SECRET_SIGNS) else line


def configure_logging(*, level: str, as_json: bool) -> None:
    renderer = structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer()
    formatter = {
        "()": structlog.stdlib.ProcessorFormatter,
        "foreign_pre_chain": SHARED_PROCESSORS,
        "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer, mask_secrets],
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
                **{name: {"level": "WARNING"} for name in LOUD_CELERY_LOGGERS},
                "botocore": {"level": "WARNING"},
                "mcp": {"level": "WARNING"},  # each call has a line of ours
                "uvicorn.access": {"level": "CRITICAL"},  # as each request, which uvicorn would show with its query
                **{name: {"level": "INFO"} for name in NOISY_LOGGERS},  # below it they tell what they send
            },
        }
    )
