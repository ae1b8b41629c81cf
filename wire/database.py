"""DATABASE_URL as Django's settings, and a connection on which nobody waits for ever."""

from typing import Any, ClassVar

from django.core.exceptions import ImproperlyConfigured
from psycopg import Connection, OperationalError, ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

CONNECT_SECONDS = 5
POOL_WAIT_SECONDS = 5  # for a connection, while there is none: then 503
POOL_RECONNECT_SECONDS = 2  # the pool's pauses double until it gives up; the next request makes it try again at once


class BoundedConnection(Connection[Any]):
    """Gives up on a server that is silent for `response_timeout` seconds: stopped, or cut off without a word.

    The connection is then closed, so what was asked may still happen on the server: the caller was told 503.
    None, as in workers and commands, waits as long as it takes.
    """

    response_timeout: ClassVar[float | None] = None

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        if self.response_timeout is not None:
            options.setdefault("timeout", self.response_timeout)
        try:
            return super().wait(gen, *arguments, **options)
        except OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise


def database_settings(url: str, *, pool_size: int) -> dict[str, Any]:
    """Any libpq URL or conninfo, unix sockets too. `pool_size` covers the WSGI threads, the MCP ones and the lanes'."""
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
                "timeout": POOL_WAIT_SECONDS,
                "max_idle": 300,
                "reconnect_timeout": POOL_RECONNECT_SECONDS,
            },
        },
    }
