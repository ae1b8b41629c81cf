"""REDIS_URL as Celery's broker."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

# A broker that hangs must not hold a request: two seconds to send, no repeats; the sweep finds what was not sent.
SEND_SECONDS, CONNECT_SECONDS = 2, 1
TRANSPORT_OPTIONS: dict[str, Any] = {
    "socket_timeout": SEND_SECONDS,
    "socket_connect_timeout": CONNECT_SECONDS,
    "polling_interval": 10,  # seconds that one question for messages waits for one to come, which it hears of at once
    "visibility_timeout": 3600,
    "unacked_restore_interval": 60,  # seconds between searches for what a killed worker held, for the timeout above
    "unacked_restore_throttle": 1,
}


def broker_url(redis_url: str | None) -> str:
    """Celery's spelling; without Redis no task is queued for others, and the sweeps do the work."""
    if redis_url is None:
        return "memory://"
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    database = parse_qs(parts.query).get("db", ["0"])[0]
    return f"redis+socket://{parts.netloc}{parts.path}?virtual_host={database}"
