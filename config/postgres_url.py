"""DATABASE_URL as Django's settings."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict


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
            **parts,
            "pool": {"min_size": 1, "max_size": pool_size, "timeout": 5, "max_idle": 300},
        },
    }
