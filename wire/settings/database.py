"""DATABASE_URL as Django's settings, and a connection on which nobody waits for ever."""

import select
import time
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg import ClientCursor, Connection, Cursor, OperationalError, ProgrammingError
from psycopg._queries import PostgresClientQuery
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from wire.audit_context import without_comment

CONNECT_SECONDS = 5
POOL_WAIT_SECONDS = 5  # for a connection, while there is none: then 503
POOL_RECONNECT_SECONDS = 2  # the pool's pauses double until it gives up; the next request makes it try again at once
TRUSTED_SECONDS = 1.0  # after the server's last answer it is asked for another before a connection is used
CHECK_SECONDS = 3.0  # within which it gives that, so that there is time to connect anew
# How soon a server whose machine went without a word is noticed, also by workers, which otherwise wait: half a minute.
KEEPALIVE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 4, "tcp_user_timeout": 30_000}
SESSION, TRANSACTION = POOLINGS = "session", "transaction"


class NoAnswerInTime(OperationalError):
    """The server was silent for too long: it is busy with this question or with others, stopped, or cut off."""


class BoundedConnection(Connection[Any]):
    """Gives up on a server that is silent for `response_timeout` seconds: NoAnswerInTime.

    The connection is then closed, so what was asked may still happen on the server: the caller was told 503.
    None, as in workers and commands, waits as long as it takes.
    """

    response_timeout: float | None = None
    answered_at = float("-inf")  # by time.monotonic

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        patience = self.response_timeout if "timeout" not in options else None  # else somebody waits by its own clock
        if patience is not None:
            options["timeout"] = patience
        asked_at = time.monotonic()
        try:
            answer = super().wait(gen, *arguments, **options)
        except OperationalError as error:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            if patience is not None and time.monotonic() - asked_at >= patience:
                raise NoAnswerInTime(f"no answer within {patience:g} s") from error
            raise
        self.answered_at = time.monotonic()
        return answer

    def execute(self, query: Any, *arguments: Any, **options: Any) -> Cursor[Any]:
        """An empty query is the pool's question, before it lends a connection, whether that still works."""
        if query != "":
            return super().execute(query, *arguments, **options)
        if self._has_just_answered():
            return self.cursor()
        self.response_timeout = CHECK_SECONDS
        try:
            return super().execute(query, *arguments, **options)
        except OperationalError:
            self._forget_siblings()
            raise
        finally:
            del self.response_timeout  # back to that of the class

    def _has_just_answered(self) -> bool:
        """Nothing is sent: a server that ended the connection since would have said so."""
        return time.monotonic() - self.answered_at < TRUSTED_SECONDS and not _has_input(self.pgconn.socket)

    def _forget_siblings(self) -> None:
        """The server went, so the pool's other connections are as dead: finding out one by one takes it seconds."""
        pool = getattr(self, "_pool", None)
        if pool is not None:
            pool.drain()


class CommentedQuery(PostgresClientQuery):
    """The comment before a statement is another each time: psycopg takes apart, and keeps, the statement without it.

    A heartbeat's is long enough for that to cost more than its journey to the database.
    """

    __slots__ = ("_comment",)

    def convert(self, query: Any, vars: Any) -> None:  # noqa: A002 (psycopg's name)
        statement = without_comment(query) if isinstance(query, str) else query
        self._comment = query[: -len(statement)].encode(self._tx.encoding) if statement != query else b""
        super().convert(statement, vars)
        if vars is None:
            self.query = self._comment + self.query

    def dump(self, vars: Any) -> None:  # noqa: A002
        super().dump(vars)
        if vars is not None:
            self.query = self._comment + self.query


class CommentedCursor(ClientCursor[Any]):
    """Django's, but for what it keeps of statements with a comment."""

    _query_cls = CommentedQuery


def _has_input(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def database_settings(url: str, *, pool_size: int, pooling: str = SESSION) -> dict[str, Any]:
    """Any libpq URL or conninfo, unix sockets too. `pool_size` covers the WSGI threads, the MCP ones and the lanes'.

    `pooling` is `transaction` where a pooler on the way gives a server's connection for one transaction only: what is
    kept between two of them, a cursor outside a transaction, is then kept here. Django prepares no statements anyway.
    Raises ImproperlyConfigured.
    """
    if pooling not in POOLINGS:
        raise ImproperlyConfigured(f"DATABASE_POOLING is {pooling!r}; write {' or '.join(POOLINGS)}.")
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
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": pooling == TRANSACTION,
        "OPTIONS": {
            "connect_timeout": CONNECT_SECONDS,
            **KEEPALIVE,
            **parts,
            "cursor_factory": CommentedCursor,
            "pool": {
                "connection_class": BoundedConnection,
                "min_size": 1,
                "max_size": pool_size,
                "timeout": POOL_WAIT_SECONDS,
                "max_idle": 60,  # seconds; the server keeps 8 MiB for each that nobody needs
                "reconnect_timeout": POOL_RECONNECT_SECONDS,
            },
        },
    }
