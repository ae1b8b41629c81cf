"""A database connection on which nobody waits for ever."""

from typing import Any, ClassVar

from psycopg import Connection, OperationalError
from psycopg.pq import TransactionStatus


class BoundedConnection(Connection[Any]):
    """Gives up on a server that says nothing for `patience` seconds: one that is stopped, or cut off without a word.

    The connection is then closed, so what was asked may still happen on the server: the caller was told 503.
    None, as in workers and commands, waits as long as it takes.
    """

    patience: ClassVar[float | None] = None

    def wait(self, gen: Any, *arguments: Any, **options: Any) -> Any:
        if self.patience is not None:
            options.setdefault("timeout", self.patience)
        try:
            return super().wait(gen, *arguments, **options)
        except OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()
            raise
