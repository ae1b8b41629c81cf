"""Django's `migrate`, which never makes the service wait for a lock that itself waits."""

import sys
import time
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import OperationalError, connections
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from psycopg.errors import LockNotAvailable

from operations.migration_states import rendering_changed_models_alone

LOCK_SECONDS = 2  # whoever waits for a table's lock holds up everybody who comes after
ATTEMPTS, PAUSE_SECONDS = 60, 5.0


class SchemaEditor(DatabaseSchemaEditor):
    """Django's own stays in its transaction when a statement fails that it put off to the end, as foreign keys are."""

    def __exit__(self, *fault: Any) -> None:
        try:
            super().__exit__(*fault)
        except BaseException:
            if self.atomic_migration and self.connection.in_atomic_block:
                self.atomic.__exit__(*sys.exc_info())
            raise


class Command(migrate.Command):
    help = f"{migrate.Command.help} A lock that is not to be had is tried again, for minutes."

    def handle(self, *arguments: Any, **options: Any) -> None:
        """Each migration is one transaction: the next attempt begins at the one that failed."""
        self.database = connections[options["database"]]
        self.database.SchemaEditorClass = SchemaEditor
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with rendering_changed_models_alone():
                    super().handle(*arguments, **options)
            except OperationalError as error:
                if not isinstance(error.__cause__, LockNotAvailable):
                    raise
                self.stderr.write(f"A table was in use, attempt {attempt} of {ATTEMPTS}: {error}".strip())
                time.sleep(PAUSE_SECONDS)
            else:
                return
            finally:
                self._set_lock_timeout(0)
        raise CommandError("A table was in use all the time: nothing of the last migration was changed.")

    def migration_progress_callback(self, action: str, migration: Any = None, fake: bool = False) -> None:
        """One that is no transaction (indexes that are built concurrently) may wait: it holds nobody up."""
        if action == "apply_start":
            self._set_lock_timeout(LOCK_SECONDS if migration.atomic else 0)
        super().migration_progress_callback(action, migration, fake)

    def _set_lock_timeout(self, seconds: int) -> None:
        with self.database.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{seconds}s"])
