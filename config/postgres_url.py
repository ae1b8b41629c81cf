"""DATABASE_URL as Django's settings."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict

from config.postgres_connection import BoundedConnection

CONNECT_SECONDS = 5
WAIT_SECONDS = 5  # for a connection, while there is none: then 503
RECONNECT_SECONDS = 2  # the pool's pauses double until it gives up; the next request makes it try again at once


def database_settings(url: str, *, pool_size: int) -> dict[str, Any]:
    """Any libpq URL or conninfo, unix sockets too. `pool_size` covers the WSGI threads and the MCP ones."""
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(url).items() if value is not None}
    except ProgrammingError as error:
        raise ImproperlyConfigured(f"DATABASE_URL cannot be read: {error}") from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname", ""),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": parts.pop("port", ""),
        "OPTIONS": {
            "connect_timeout": CONNECT_SECONDS,
            **parts,
            "pool": {
                "connection_class": BoundedConnection,
                "min_size": 1,
                "max_size": pool_size,
                "timeout": WAIT_SECONDS,
                "max_idle": 300,
                "reconnect_timeout": RECONNECT_SECONDS,
            },
        },
    }
