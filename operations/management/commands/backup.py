"""`./ids manage backup DIR`: one consistent copy of the database and the objects, while the service works."""

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from files.storage import whole_store
from operations.backup import database
from operations.backup.backup_directory import BackupDirectory, BackupError
from operations.backup.taking import BackupResult, plan_backup, prune_backups, take_backup, take_database_backup
from operations.reconciliation.inventory import UnorderedListing
from overview.backups import record_backup
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
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--dry-run", action="store_true", help="say what would be copied; write nothing")
        mode.add_argument(
            "--database-only", action="store_true", help="without objects: the bucket has versions or a replica"
        )

    def handle(self, **options: Any) -> None:
        directory = options["directory"].expanduser().resolve()
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep is at least 1.", returncode=2)
        if directory.is_relative_to(settings.IDS_DATA):
            raise CommandError("DIR lies within the data directory, and would be lost with it.", returncode=2)
        place = BackupDirectory(directory)
        try:
            if database.is_empty():
                raise CommandError(f"The service in {settings.IDS_DATA} was never started: is --data right?")
            if options["dry_run"]:
                self.report("Would copy", plan_backup(place, whole_store()))
                return
            taken = self.take(place, database_only=options["database_only"], at=now())
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

    def take(self, place: BackupDirectory, *, database_only: bool, at: datetime) -> BackupResult:
        if database_only:
            taken = take_database_backup(place, at=at)
            self.stdout.write(f"Backup {taken.name} has the database, and no objects.")
        else:
            taken = take_backup(place, whole_store(), at=at)
            self.report(f"Backup {taken.name} copied", taken)
        self.record(taken, has_objects=not database_only, at=at)
        return taken

    def record(self, taken: BackupResult, *, has_objects: bool, at: datetime) -> None:
        """The backup is whole by now: where this cannot be written, it is one that nobody sees the age of."""
        try:
            record_backup(
                name=taken.name,
                at=at,
                has_objects=has_objects,
                objects=taken.objects,
                size_bytes=taken.size_bytes,
                differences=len(taken.differences),
            )
        except DatabaseError as problem:
            self.stderr.write(f"The backup is whole, but not noted in the database: {str(problem).strip()}")

    def report(self, verb: str, taken: BackupResult) -> None:
        new = f"{taken.copied:,} objects, {format_size(taken.copied_bytes)}"
        known = taken.objects - taken.copied
        self.stdout.write(f"{verb} {new}; {known:,} were there ({format_size(taken.size_bytes)} in all).")
