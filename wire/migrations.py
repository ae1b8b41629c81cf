"""Which migrations this code has that the database has not."""

from functools import cache

from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def list_pending_migrations() -> list[str]:
    """As `app.0001_name`, sorted. Raises DatabaseError."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in list_known_migrations() - applied.keys())


@cache
def list_known_migrations() -> frozenset[tuple[str, str]]:
    """App and name of each that this code has."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).graph.nodes)


class SchemaWatch:
    """Whether the database is as new as the code. What was seen once is not asked again: migrations stay."""

    def __init__(self) -> None:
        self._is_current = False

    def is_current(self) -> bool:
        """Raises DatabaseError."""
        if not self._is_current:
            self._is_current = not list_pending_migrations()
        return self._is_current


schema_watch = SchemaWatch()
