"""DuckDB, which answers the queries: few at once, each with a deadline, none with a way out of its memory.

It opens the Parquet files of the object store and nothing else. No caller's text ever becomes SQL (datasets/sql.py).
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING

from django.conf import settings

from datasets.deadlines import Deadlines
from datasets.sources import DatasetDamaged, allowed_directory
from datasets.sql import Statement
from wire.errors import RateLimited, ServiceError

if TYPE_CHECKING:
    import duckdb
    import pyarrow

log = logging.getLogger(__name__)
MAX_QUERIES = 4
WAIT_SECONDS = 10.0
BATCH_CELLS, LEAST_BATCH_ROWS, MOST_BATCH_ROWS = 131_072, 2_048, 65_536
NARROW = "Narrow it: fewer columns, a `where`, a smaller `limit`, `group_by` or `max_points`."
_places = threading.BoundedSemaphore(MAX_QUERIES)
_deadlines = Deadlines()


class QueriesBusy(RateLimited):
    def __init__(self) -> None:
        super().__init__("Many queries are under way. Try again in a few seconds.", retry_after=5)


class QueryTooLarge(ServiceError):
    """400. It took longer, or more memory, than one query may."""

    status, code = 400, "QUERY_TOO_LARGE"


class Abandonment:
    """Whether somebody still waits for an answer; who is at work on it is told when nobody does."""

    def __init__(self) -> None:
        self.is_abandoned = False
        self._tell: Callable[[], None] | None = None

    def abandon(self) -> None:
        self.is_abandoned = True
        tell = self._tell
        if tell is not None:
            tell()

    def listen(self, tell: Callable[[], None] | None) -> None:
        self._tell = tell


def database() -> "duckdb.DuckDBPyConnection":
    """One in memory, for all queries of the process; nothing is ever kept in it."""
    return _open_database(str(allowed_directory()))


@lru_cache(maxsize=1)
def _open_database(directory: str) -> "duckdb.DuckDBPyConnection":
    import duckdb

    memory = f"{settings.DATASET_QUERY_MEMORY_MIB}MiB"
    connection = duckdb.connect(":memory:", config={"threads": "1", "memory_limit": memory})
    allowed = directory.replace("'", "''")
    for setting in (
        "TimeZone = 'UTC'",
        "temp_directory = ''",
        "disabled_optimizers = 'build_side_probe_side,join_order'",  # joins keep the order of their left side
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        f"allowed_directories = ['{allowed}/']",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")
    return connection


@contextmanager
def open_query(abandonment: Abandonment | None = None) -> Iterator["Query"]:
    """A place among the queries. Raises QueriesBusy."""
    watched = abandonment or Abandonment()
    if not _places.acquire(timeout=WAIT_SECONDS):
        raise QueriesBusy
    try:
        with database().cursor() as connection:
            watched.listen(connection.interrupt)
            yield Query(connection, watched)
    finally:
        watched.listen(None)
        _places.release()


class Query:
    """One query. Every step of it that takes longer than it may is interrupted."""

    def __init__(self, connection: "duckdb.DuckDBPyConnection", abandonment: Abandonment) -> None:
        self._connection, self._abandonment = connection, abandonment

    def read_batches(self, statement: Statement, *, columns: int) -> "pyarrow.RecordBatchReader":
        """The answer in batches of bounded size. Raises QueryTooLarge, DatasetDamaged."""
        rows = max(LEAST_BATCH_ROWS, min(MOST_BATCH_ROWS, BATCH_CELLS // max(1, columns)))
        with self.bounded():
            relation = self._connection.sql(statement.sql, params=statement.bound)
            return relation.to_arrow_reader(rows)

    def read_number(self, statement: Statement) -> int:
        with self.bounded():
            ((number,),) = self._connection.execute(statement.sql, statement.bound).fetchall()
            return int(number)

    def next_batch(self, reader: "pyarrow.RecordBatchReader") -> "pyarrow.RecordBatch | None":
        """None at the end, and where nobody waits any more."""
        if self._abandonment.is_abandoned:
            return None
        with self.bounded():
            try:
                return reader.read_next_batch()
            except StopIteration:
                return None

    @contextmanager
    def bounded(self) -> Iterator[None]:
        import duckdb
        import pyarrow

        try:
            with _deadlines.watch(settings.DATASET_QUERY_SECONDS, self._connection.interrupt):
                yield
        except (duckdb.Error, pyarrow.ArrowException, OSError) as error:
            raise translate(error) from error


def translate(error: Exception) -> ServiceError:
    """What went wrong, in our words: the engine's own may hold paths of the store."""
    import duckdb

    said = str(error)
    if isinstance(error, duckdb.InterruptException) or "INTERRUPT" in said.upper():
        seconds = f"{settings.DATASET_QUERY_SECONDS:g}"
        return QueryTooLarge(f"The query took longer than {seconds} seconds. {NARROW}")
    if isinstance(error, duckdb.OutOfMemoryException) or "Out of Memory" in said:
        return QueryTooLarge(f"The query needs more memory than it may have. {NARROW}")
    if isinstance(error, duckdb.OutOfRangeException | duckdb.ConversionException):
        return QueryTooLarge("A sum of the query is beyond what its type can hold.")
    log.warning("a query over datasets failed: %s: %s", type(error).__name__, said)
    return DatasetDamaged()
