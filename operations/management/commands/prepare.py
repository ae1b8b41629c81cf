import sys
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import OperationalError

from files.storage import require_suitable_store
from operations.demo.preparation import REFUSED_EXIT_CODE, prepare_demo
from operations.turns import one_at_a_time, wait_for_database
from watchers.partitions import ensure_partitions
from web.startup import require_declared_access
from wire.clock import now
from wire.migrations import list_pending_migrations


class Command(BaseCommand):
    help = "Bring the database up to date, then print the first admin's sign-in link where there is no admin yet."
    requires_system_checks = ()  # the tests ran them; of each start only what it must not do without is asked

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--wait", type=int, default=60, metavar="SECONDS", help="for the database (%(default)s)")
        parser.add_argument("--demo", type=Path, metavar="DIR", help="fill an empty database; DIR gets its secrets")

    def handle(self, *, demo: Path | None, wait: int, **options: Any) -> None:
        try:
            require_declared_access()
            require_suitable_store()
        except ImproperlyConfigured as fault:
            raise CommandError(str(fault), returncode=REFUSED_EXIT_CODE) from None
        try:
            wait_for_database(seconds=wait, tell=self.stderr.write)
        except OperationalError as error:
            raise CommandError(f"The database does not answer: {error}") from None
        with one_at_a_time(tell=self.stderr.write):
            self.prepare(demo)

    def prepare(self, demo: Path | None) -> None:
        if list_pending_migrations():
            call_command("migrate", interactive=False, stdout=sys.stderr)
        ensure_partitions(at=now())
        if demo is not None:
            prepare_demo(demo, at=now())
        call_command("first_link", stdout=self.stdout)
