"""Which migrations this code has that the database has not."""

from functools import cache
from importlib.util import find_spec
from pkgutil import iter_modules

from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


def list_pending_migrations() -> list[str]:
    """As `app.0001_name`, sorted. Raises DatabaseError."""
    applied = MigrationRecorder(connection).applied_migrations()
    return sorted(f"{app}.{name}" for app, name in list_known_migrations() - applied.keys())


@cache
def list_known_migrations() -> frozenset[tuple[str, str]]:
    """App and name of each that this code has: as Django finds them, but by their files. Their code takes 14 MB.

    Those that another one replaces are among them: Django notes both as applied.
    """
    return frozenset((app.label, name) for app in apps.get_app_configs() for name in _list_names(app.label))


def _list_names(label: str) -> list[str]:
    package, _ = MigrationLoader.migrations_module(label)
    found = find_spec(package) if package else None
    folders = (found and found.submodule_search_locations) or []
    return [module.name for module in iter_modules(folders) if not module.ispkg and module.name[0] not in "_~"]


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
