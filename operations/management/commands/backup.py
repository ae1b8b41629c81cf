"""`./ids manage backup DIR`: one consistent copy of the database and the objects, while the service works."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from files.storage import object_store
from operations.backup import database
from operations.backup.backup_directory import BackupDirectory, BackupError
from operations.backup.taking import BackupResult, plan_backup, prune_backups, take_backup
from operations.reconciliation.inventory import UnorderedListing
from wire.clock import now
from wire.errors import ServiceError
from wire.sizes import format_size

EXIT_INCOMPLETE = 3
EPILOG = """exit codes: 0 the backup is whole; 1 none was made; 2 wrong arguments; 3 it was made, but the store lacked
objects that the database names, or had other bytes (./ids manage reconcile tells more)."""


class Command(BaseCommand):
    help = "Copy the database, the objects and the secret key into DIR. Objects that DIR has already are not copied."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.epilog = EPILOG
        parser.add_argument("directory", type=Path, metavar="DIR", help="on another disk than the data")
        parser.add_argument("--keep", type=int, metavar="N", help="afterwards remove all but the newest N backups")
        parser.add_argument("--dry-run", action="store_true", help="say what would be copied; write nothing")

    def handle(self, **options: Any) -> None:
        directory = options["directory"].expanduser().resolve()
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep is at least 1.", returncode=2)
        if directory.is_relative_to(settings.IDS_DATA):
            raise CommandError("DIR lies within the data directory, and would be lost with it.", returncode=2)
        place, store = BackupDirectory(directory), object_store()
        try:
            if database.is_empty():
                raise CommandError(f"The service in {settings.IDS_DATA} was never started: is --data right?")
            if options["dry_run"]:
                self.report("Would copy", plan_backup(place, store))
                return
            taken = take_backup(place, store, at=now())
            self.report(f"Backup {taken.name} copied", taken)
            for name in prune_backups(place, keep=options["keep"]) if options["keep"] else ():
                self.stdout.write(f"Backup {name} removed.")
        except (BackupError, ServiceError, UnorderedListing, OSError, DatabaseError) as problem:
            raise CommandError(str(problem).strip()) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; what was copied is not copied again.") from None
        for one in taken.differences[:20]:
            self.stderr.write(f"{one.kind}  {one.key}  {one.owner or ''}")
        if taken.differences:
            raise CommandError(f"{len(taken.differences)} objects are not in order.", returncode=EXIT_INCOMPLETE)

    def report(self, verb: str, taken: BackupResult) -> None:
        new = f"{taken.copied:,} objects, {format_size(taken.copied_bytes)}"
        known = taken.objects - taken.copied
        self.stdout.write(f"{verb} {new}; {known:,} were there ({format_size(taken.size_bytes)} in all).")
