import sys
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor

from watchers.partitions import ensure_days
from wire.clock import now


class Command(BaseCommand):
    help = "Bring the database up to date, then print the first admin's sign-in link where there is no admin yet."
    requires_system_checks = ()  # the tests ran them; here they cost a second of every start

    def handle(self, **options: Any) -> None:
        try:
            connection.ensure_connection()
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {error}") from None
        if has_pending_migrations():
            call_command("migrate", interactive=False, stdout=sys.stderr)
        ensure_days(at=now())
        call_command("first_link", stdout=self.stdout)


def has_pending_migrations() -> bool:
    """Faster than a `migrate` that finds nothing to do."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
